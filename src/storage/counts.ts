import type { Step } from "../concurrency/step.js";
/** What is counted before more of it is made. */
export type Counted = "apiTokens" | "apps" | "grants" | "tags" | "templates" | "webhookEndpoints";

export interface CountReads {
  /** How many of a kind the organization has. Meant for some thousands. */
  countOf(organizationId: string, kind: Counted): Step<number>;
  /** How many of the organization's grants have this subject, compared exactly. */
  countGrantsBy(organizationId: string, subject: string): Step<number>;
}
