import type { Step } from "../concurrency/step.js";
/**
 * The kinds of records that are counted before another one is made. Deliveries of messages count until they have ended: those
 * that are `PENDING` or `SENDING`.
 */
export type Counted =
  | "apiTokens"
  | "apps"
  | "grants"
  | "pendingMessageDeliveries"
  | "tags"
  | "templates"
  | "webhookEndpoints";

export interface CountReads {
  /** Returns how many of a kind the organization has. It is meant for some thousands, and for some hundred thousand deliveries. */
  countOf(organizationId: string, kind: Counted): Step<number>;
  /** Returns how many of the organization's grants have this subject, compared exactly. */
  countGrantsBy(organizationId: string, subject: string): Step<number>;
}
