import * as z from "zod";
import { automationRunSchema } from "../automations/run-schema.js";
import { wireTimestamp } from "../base/fields/text.js";
import { walletPassDetailSchema } from "../cards/pass-schema.js";
import { stampCardSchema, stampEntrySchema } from "../cards/stamps-schema.js";
import { messageDeliverySchema } from "../messages/delivery-schema.js";
import { subscriptionSchema } from "../messages/subscription-schema.js";
import { pointEntrySchema } from "../points/schema.js";
import { purchaseSchema } from "../purchases/schema.js";
import { userTagSchema } from "../tags/schema.js";
import { eventSchema } from "../webhooks/event-schema.js";
import { userSchema } from "./schema.js";

/** The schema for a device that has, or once had, a pass. The push address is omitted. */
export const deviceSchema = z.object({
  platform: z.enum(["apple", "google"]),
  state: z.enum(["registered", "gone", "token_dead"]),
  createdAt: wireTimestamp,
  updatedAt: wireTimestamp,
});

export const dossierSchema = z
  .object({
    object: z.literal("dossier"),
    user: userSchema,
    tags: z.array(userTagSchema),
    passes: z.array(
      walletPassDetailSchema.extend({
        stamps: stampCardSchema.nullable(),
        history: z.array(stampEntrySchema),
        pointHistory: z.array(pointEntrySchema),
        devices: z.array(deviceSchema),
      }),
    ),
    purchases: z.array(purchaseSchema),
    subscription: subscriptionSchema,
    messageDeliveries: z.array(messageDeliverySchema),
    automationRuns: z.array(automationRunSchema),
    events: z.array(eventSchema),
  })
  .meta({ id: "Dossier" });
