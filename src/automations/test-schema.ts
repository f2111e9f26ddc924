import * as z from "zod";
import { messageChannel } from "../messages/subscription-schema.js";
import { explainedFilterSchema } from "../segments/explanation-schema.js";
import { messageDeliveryReasons } from "../storage/mail.js";
import { actionKinds } from "./action-schema.js";

const channel = z.object({ channel: messageChannel, reason: z.enum(messageDeliveryReasons).nullable() });

const actionSchema = z.object({
  action: z.enum(actionKinds),
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
 * The result of simulating an automation for a user now. `wouldRun` is whether the automation would run, and `reason` explains why
 * not. `if` explains whether the user matches the condition. Each action has the reason that it would fail, if any. A message
 * action also has, for each channel, the reason that the message wouldn't be sent, if any.
 */
export type AutomationTest = z.output<typeof automationTestSchema>;
