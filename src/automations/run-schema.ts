import * as z from "zod";
import { wireTimestamp } from "../base/fields/text.js";
import { listQuery, wirePage } from "../base/page.js";
import { timesOf, timestamp } from "../base/values/clock.js";
import { messageChannel } from "../messages/subscription-schema.js";
import { explainedFilterSchema } from "../segments/explanation-schema.js";
import { automationRunStatuses, type StoredAutomationRun } from "../storage/automations.js";
import { messageDeliveryReasons } from "../storage/mail.js";
import { actionKinds } from "./action-schema.js";

const status = z.enum(automationRunStatuses);

export const automationRunSchema = z
  .object({
    id: z.string(),
    object: z.literal("automation_run"),
    automationId: z.string(),
    version: z.int().min(1),
    userId: z.string(),
    occasion: z.string(),
    status,
    reason: z.string().nullable(),
    actionIndex: z.int().min(0).nullable(),
    dueAt: wireTimestamp,
    createdAt: wireTimestamp,
    updatedAt: wireTimestamp,
  })
  .meta({ id: "AutomationRun" });

/**
 * One run of an automation for one customer. `occasion` is the ID of the event or the date that the run was started for. `reason`
 * explains why the run was skipped or failed, and `actionIndex` is the index of the action that failed.
 */
export type AutomationRun = z.output<typeof automationRunSchema>;

export const automationRunPageSchema = wirePage(automationRunSchema).meta({ id: "AutomationRunPage" });

export const automationRunQuerySchema = z.object({ ...listQuery, status: status.optional() });

export type AutomationRunListQuery = z.input<typeof automationRunQuerySchema>;

export function automationRunOf(run: StoredAutomationRun): AutomationRun {
  return {
    id: run.id,
    object: "automation_run",
    automationId: run.automationId,
    version: run.version,
    userId: run.userId,
    occasion: run.occasion,
    status: run.status,
    reason: run.reason,
    actionIndex: run.actionIndex,
    dueAt: timestamp(run.dueAt),
    ...timesOf(run),
  };
}

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
