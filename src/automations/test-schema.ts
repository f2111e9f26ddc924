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
 * Says what an automation would do if it were triggered for a user now. `wouldRun` says whether it would run, and `reason` says
 * why not. `if` explains whether the user matches the condition. Each action gives the reason why it would fail, and a message
 * action also gives, for each channel, the reason why the message wouldn't be sent.
 */
export type AutomationTest = z.output<typeof automationTestSchema>;
