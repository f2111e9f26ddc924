import {
  automationRecord,
  automationRunRecord,
  type NewAutomationJob,
  type StoredAutomation,
  type StoredAutomationRun,
} from "../../../../src/storage/automations.js";
import type { StoredUser } from "../../../../src/storage/users.js";
import { sample } from "./records.js";

/** Builds the first version of a disabled automation. */
export function someAutomation(fields: Partial<StoredAutomation> = {}): StoredAutomation {
  return sample(automationRecord, "aut", { version: 1, ...fields });
}

/** Builds a waiting run that is due at time 1. */
export function someAutomationRun(
  { id: automationId, version }: StoredAutomation,
  { id: userId }: StoredUser,
  fields: Partial<StoredAutomationRun> = {},
): StoredAutomationRun {
  const defaults = { automationId, version, userId, dueAt: 1, nextAttemptAt: 1 };
  return sample(automationRunRecord, "atr", { ...defaults, ...fields });
}

export function someAutomationJob(
  { id: automationId, createdAt }: StoredAutomation,
  fields: Partial<NewAutomationJob> = {},
): NewAutomationJob {
  return { automationId, lane: "run", revision: 1, nextAttemptAt: 1, createdAt, ...fields };
}
