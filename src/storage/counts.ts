import type { Step } from "../base/concurrency/step.js";
/**
 * A kind of record that is counted before a new one is created, to enforce a limit. `messages` counts all stored messages.
 * `scheduledMessages` and `sendingMessages` count only messages in that status. `pendingMessageDeliveries` counts email deliveries
 * that are `PENDING` or `SENDING`. `waitingAutomationRuns` counts runs that are `WAITING`.
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
   * Counts the organization's records of one kind. There are at most a few hundred thousand deliveries, and at most a few thousand
   * records of most other kinds.
   */
  countOf(kind: CountableKind): Step<number>;
  /** Counts the organization's grants whose subject is exactly this string. */
  countGrantsBy(subject: string): Step<number>;
}
