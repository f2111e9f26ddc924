import * as z from "zod";
import { messageDeliveryReasons } from "../storage/mail.js";
import { explainedFilterSchema } from "./segment-explanation.js";
import { messageChannel } from "./subscription.js";

const channel = z.object({ channel: messageChannel, reason: z.enum(messageDeliveryReasons).nullable() });

const actionSchema = z.object({
  action: z.enum(["message", "assignTag", "unassignTag", "addStamps", "giveReward"]),
  reason: z.string().nullable(),
  channels: z.array(channel).nullable(),
});

export const automationTestSchema = z
  .object({
    object: z.literal("automation_test"),
    automationId: z.string(),
    userId: z.string(),
    wouldRun: z.boolean(),
    reason: z.string().nullable(),
    if: explainedFilterSchema.nullable(),
    actions: z.array(actionSchema),
  })
  .meta({ id: "AutomationTest" });

/**
 * The outcome if an automation started for a user now: whether it would run, and otherwise the `reason`; its condition explained;
 * and each action with the reason why it would be refused. For a message, each channel has the reason why the message would not be
 * sent.
 */
export type AutomationTest = z.output<typeof automationTestSchema>;
