import * as z from "zod";
import { messageChannel } from "../messages/subscription-schema.js";
import { explainedFilterSchema } from "../segments/explanation-schema.js";
import { messageDeliveryReasons } from "../storage/mail.js";

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
 * The outcome that an automation would have if it started for a user now. `wouldRun` says whether it would run, and `reason`
 * explains why not. `if` explains its condition. Each action includes the reason why it would be refused, and a message lists the
 * reason why it wouldn't be sent on each channel.
 */
export type AutomationTest = z.output<typeof automationTestSchema>;
