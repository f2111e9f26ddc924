import type { Step } from "../concurrency/step.js";
/**
 * The kinds of records that are counted before another one is made. Of deliveries of messages those by email count until they
 * have ended, which are `PENDING` or `SENDING`; messages count as long as they are kept, and those that are `SCHEDULED` and
 * `SENDING` by themselves too. Runs of automations count while they are `WAITING`.
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
  /** Returns how many of a kind the organization has. It is meant for some thousands, and for some hundred thousand deliveries. */
  countOf(organizationId: string, kind: CountableKind): Step<number>;
  /** Returns how many of the organization's grants have this subject, compared exactly. */
  countGrantsBy(organizationId: string, subject: string): Step<number>;
}
