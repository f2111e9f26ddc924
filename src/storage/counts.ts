import type { Step } from "../base/concurrency/step.js";
/**
 * The kinds of records that are counted before one is created, to enforce a limit. A message's email deliveries count only while
 * `PENDING` or `SENDING`. Messages count while they are stored. `SCHEDULED` and `SENDING` messages are also counted as a separate
 * kind. Automation runs count while `WAITING`.
 */
export type CountableKind =
  | "apiTokens"
  | "apps"
  | "automations"
  | "grants"
  | "messages"
  | "pendingMessageDeliveries"
  | "people"
  | "scheduledMessages"
  | "segments"
  | "sendingMessages"
  | "tags"
  | "templates"
  | "waitingAutomationRuns"
  | "webhookEndpoints";

export interface CountReads {
  /** Counts the organization's records of one kind. Expect at most a few thousand records, or a few hundred thousand deliveries. */
  countOf(organizationId: string, kind: CountableKind): Step<number>;
  /** Counts the organization's grants whose subject is exactly this string. */
  countGrantsBy(organizationId: string, subject: string): Step<number>;
}
