import type { Step } from "../concurrency/step.js";
import { jobColumns, jobKind, type NewJob } from "./jobs.js";
import { boolean, integer, json, oneOf, type RowOf, record, text, time } from "./record.js";

/**
 * The columns that define an automation's content: its actions, its audience, how often it runs, its delay in days, and its
 * creator, whose rights it has.
 */
const contentColumns = {
  /** A filter of customers; `null` for all customers. */
  if: json().nullable(),
  /** Delay in days. */
  after: integer(),
  /** The list of actions. */
  do: json(),
  per: json(),
  /** The API token, person or grant that created or last changed it, which may no longer exist; `null` for the host's own code. */
  creatorId: text().nullable(),
};

export const automationRecord = record("automations", ["id"], {
  id: text(),
  name: text(),
  isEnabled: boolean(),
  /** Starts at 1 and increases with each change to its trigger or content. */
  version: integer(),
  /** The trigger. */
  on: json(),
  ...contentColumns,
  /** Events up to this outbox position don't trigger it. */
  startPosition: integer(),
  /** The newest local day, as `YYYY-MM-DD`, for which customers' dates were checked; `null` before the first check. */
  dateDay: text().nullable(),
  /** All customers with a lower ordinal have been checked for that day. */
  dateCursor: integer(),
  createdAt: time().fixed(),
  updatedAt: time(),
});

export type StoredAutomation = RowOf<typeof automationRecord>;

/** A former version of an automation, kept for the runs that began with it. */
export const pastAutomationRecord = record("automationVersions", ["automationId", "version"], {
  automationId: text().refersTo("automations", "id"),
  version: integer(),
  ...contentColumns,
  endedAt: time(),
});

export type StoredPastAutomation = RowOf<typeof pastAutomationRecord>;

/** The content of a current or past version of an automation. */
export type AutomationContent = Pick<StoredAutomation, keyof typeof contentColumns>;

export const automationRunStatuses = ["WAITING", "DONE", "SKIPPED", "FAILED"] as const;

/** One execution of an automation for one customer. It remains when its automation is deleted, and is removed with the customer. */
export const automationRunRecord = record("automationRuns", ["id"], {
  id: text(),
  automationId: text().fixed(),
  /** The version of the automation when the run was created. */
  version: integer().fixed(),
  userId: text().refersTo("users", "id").fixed(),
  /** The id of the event that triggered the run, or the day that it is for. Unique for each automation and user. */
  occasion: text().fixed(),
  status: oneOf(...automationRunStatuses),
  /** Why it was skipped or failed; `null` for any other status. */
  reason: text().nullable(),
  /** The index of the failed action, from 0; `null` if no action failed. */
  actionIndex: integer().nullable(),
  /** The time when it was originally due. */
  dueAt: time().fixed(),
  /** The number of attempts that failed because of a storage error. */
  attempts: integer(),
  /**
   * The time of the run's next step; `null` if there is none. Set while the run is `WAITING`, and while it is `DONE` but one of its
   * messages must still be removed from a card, or put on it.
   */
  nextAttemptAt: time().nullable(),
  createdAt: time().fixed(),
  updatedAt: time(),
});

export type StoredAutomationRun = RowOf<typeof automationRunRecord>;
export type AutomationRunStatus = StoredAutomationRun["status"];

/** The last `DONE` run of an automation for a customer, stored separately because runs themselves are removed after a while. */
export const automationCompletionRecord = record("automationCompletions", ["automationId", "userId"], {
  automationId: text().refersTo("automations", "id"),
  userId: text().refersTo("users", "id"),
  doneAt: time(),
});

export type StoredAutomationCompletion = RowOf<typeof automationCompletionRecord>;

/** Exists for each organization that has created an automation. */
export const automationQueueRecord = record("automationQueues", [], {
  /** Events up to this outbox position have created their runs. */
  position: integer(),
  createdAt: time().fixed(),
});

export type StoredAutomationQueue = RowOf<typeof automationQueueRecord>;

/** Schedules an automation's next step: one of its runs is due (`run`), or customers' dates must be checked (`date`). */
export const automationJobRecord = record("automationJobs", ["lane", "automationId"], {
  automationId: text().refersTo("automations", "id"),
  lane: oneOf("run", "date"),
  ...jobColumns,
});

export type StoredAutomationJob = RowOf<typeof automationJobRecord>;
export type NewAutomationJob = NewJob<StoredAutomationJob>;
export type AutomationLane = StoredAutomationJob["lane"];

export const automationJobs = jobKind(automationJobRecord, {
  lane: "lane",
  subject: "automationId",
  queue: automationQueueRecord,
});

/** Selects the runs of an automation, or the runs for a customer. */
export type AutomationRunOwner = { readonly automationId: string } | { readonly userId: string };

export interface AutomationRunQuery {
  /** `null` for any status. */
  readonly status: AutomationRunStatus | null;
  /** The page number, from 0. */
  readonly page: number;
  readonly size: number;
}

export interface AutomationRunPage {
  readonly items: readonly StoredAutomationRun[];
  /** The total number of runs on all pages. */
  readonly total: number;
}

export interface AutomationReads {
  findAutomation(organizationId: string, id: string): Step<StoredAutomation | null>;
  /** Lists the automations, oldest first: by `createdAt`, then id. */
  listAutomations(organizationId: string): Step<StoredAutomation[]>;
  /** Finds the content of a version of an automation; `null` if the version doesn't exist or is no longer stored. */
  automationVersion(
    organizationId: string,
    automationId: string,
    version: number,
  ): Step<AutomationContent | null>;
  /** Returns the number of stored past versions of an automation. */
  countPastAutomations(organizationId: string, automationId: string): Step<number>;
  findAutomationQueue(organizationId: string): Step<StoredAutomationQueue | null>;
  findAutomationRun(organizationId: string, id: string): Step<StoredAutomationRun | null>;
  /** Returns a page of the runs of an automation or for a customer, newest first: by `createdAt`, then id. */
  listAutomationRuns(
    organizationId: string,
    owner: AutomationRunOwner,
    query: AutomationRunQuery,
  ): Step<AutomationRunPage>;
  /**
   * Returns the runs of an automation that are due at `now`, whatever their status, by `nextAttemptAt`, then id; at most `limit`.
   */
  dueAutomationRuns(
    organizationId: string,
    automationId: string,
    now: number,
    limit: number,
  ): Step<StoredAutomationRun[]>;
  /** Returns the time when the next run of an automation is due; `null` if there is none. */
  nextAutomationRunAt(organizationId: string, automationId: string): Step<number | null>;
  /** Returns the number of runs for a customer that are `DONE` or `FAILED` and were updated after `since`. */
  countAutomationRuns(organizationId: string, userId: string, since: number): Step<number>;
  findAutomationCompletion(
    organizationId: string,
    automationId: string,
    userId: string,
  ): Step<StoredAutomationCompletion | null>;
}

/**
 * A job requires that the organization has a queue; {@link AutomationReads.findAutomationQueue} locks the queue's jobs against
 * other transactions.
 */
export interface AutomationWrites {
  insertAutomation(organizationId: string, automation: StoredAutomation): Step<void>;
  /** Replaces the automation, except `createdAt`. Returns false if there is none. */
  updateAutomation(organizationId: string, automation: StoredAutomation): Step<boolean>;
  /** Removes the automation with its jobs, past versions and completions; its runs stay. Returns false if there is none. */
  deleteAutomation(organizationId: string, id: string): Step<boolean>;
  insertAutomationQueue(organizationId: string, queue: StoredAutomationQueue): Step<void>;
  /** Replaces the queue, except `createdAt`. Returns false if there is none. */
  updateAutomationQueue(organizationId: string, queue: StoredAutomationQueue): Step<boolean>;
  /** Stores a past version of an existing automation. */
  insertPastAutomation(organizationId: string, past: StoredPastAutomation): Step<void>;
  /** Removes the past versions of an automation that ended before a time and have no runs that are still due. */
  removePastAutomations(organizationId: string, automationId: string, before: number): Step<void>;
  /**
   * Adds runs (at most 1,000), except runs whose automation, user and occasion match an existing run.
   * @returns the ids of the added runs, in input order.
   * @throws an error if a user doesn't exist.
   */
  insertAutomationRuns(organizationId: string, runs: readonly StoredAutomationRun[]): Step<string[]>;
  /** Replaces the runs with these ids (at most 1,000), except their fixed columns. Skips ids that don't exist. */
  updateAutomationRuns(organizationId: string, runs: readonly StoredAutomationRun[]): Step<void>;
  /**
   * Changes all `WAITING` runs of an automation to `SKIPPED`, with the given reason.
   * @returns the number of changed runs.
   */
  skipWaitingRuns(
    organizationId: string,
    automationId: string,
    reason: string,
    updatedAt: number,
  ): Step<number>;
  /**
   * Stores the time when a run was last `DONE`.
   * @throws an error if there is no such automation or user.
   */
  putAutomationCompletion(organizationId: string, use: StoredAutomationCompletion): Step<void>;
  /**
   * Removes the oldest runs that were created before a time and are no longer due, at most `limit`.
   * @returns the number of removed runs.
   */
  removeAutomationRuns(organizationId: string, before: number, limit: number): Step<number>;
}
