import * as z from "zod";
import { automationRunSchema } from "./automation-run.js";
import { eventSchema } from "./event.js";
import { wireTimestamp } from "./fields/text.js";
import { messageDeliverySchema } from "./message-delivery.js";
import { walletPassDetailSchema } from "./pass.js";
import { stampCardSchema, stampEntrySchema } from "./stamps.js";
import { subscriptionSchema } from "./subscription.js";
import { userTagSchema } from "./tag.js";
import { userSchema } from "./user.js";

/** The schema for a device that has or had a pass, without its push address. */
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
        devices: z.array(deviceSchema),
      }),
    ),
    subscription: subscriptionSchema,
    messageDeliveries: z.array(messageDeliverySchema),
    automationRuns: z.array(automationRunSchema),
    events: z.array(eventSchema),
  })
  .meta({ id: "Dossier" });
