import type { Step } from "../concurrency/step.js";
/**
 * The kinds of records that are counted before another one is created, to enforce limits. Email deliveries of messages count only
 * while `PENDING` or `SENDING`. Messages count as long as they are stored, and `SCHEDULED` and `SENDING` messages are also counted
 * separately. Automation runs count while they are `WAITING`.
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
  /**
   * Returns the organization's number of records of a kind. Designed for a few thousand records, and a few hundred thousand
   * deliveries.
   */
  countOf(organizationId: string, kind: CountableKind): Step<number>;
  /** Returns the number of the organization's grants with this subject, compared exactly. */
  countGrantsBy(organizationId: string, subject: string): Step<number>;
}
