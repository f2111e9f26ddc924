import type { Step } from "../base/concurrency/step.js";
/**
 * A kind of record that is counted before a new one is created, to enforce a limit. `messages` counts all stored messages.
 * `scheduledMessages` and `sendingMessages` count only messages with that status. `pendingMessageDeliveries` counts email
 * deliveries that are `PENDING` or `SENDING`. `waitingAutomationRuns` counts runs that are `WAITING`.
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
  /** Counts the organization's records of one kind. Most kinds have at most a few thousand, deliveries a few hundred thousand. */
  countOf(organizationId: string, kind: CountableKind): Step<number>;
  /** Counts the organization's grants whose subject is exactly this string. */
  countGrantsBy(organizationId: string, subject: string): Step<number>;
}
