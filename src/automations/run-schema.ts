import * as z from "zod";
import { wireTimestamp } from "../base/fields/text.js";
import { listQuery, wirePage } from "../base/page.js";
import { timesOf, timestamp } from "../base/values/clock.js";
import { automationRunStatuses, type StoredAutomationRun } from "../storage/automations.js";

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
