import type { Step } from "../concurrency/step.js";
import { jobColumns, jobKind, type NewJob } from "./jobs.js";
import { boolean, integer, json, oneOf, type RowOf, record, text, time } from "./record.js";

/** The columns with what an automation does, for whom, how often, how many days after it was started, and with whose rights. */
const contentColumns = {
  /** A filter of customers; `null` for everybody. */
  if: json().nullable(),
  /** In days. */
  after: integer(),
  /** A list of actions. */
  do: json(),
  per: json(),
  /** The API token, person or grant that created or last changed it, which may be gone; `null` for the host's own code. */
  creatorId: text().nullable(),
};

export const automationRecord = record("automations", ["id"], {
  id: text(),
  name: text(),
  isEnabled: boolean(),
  /** 1 at first; grows with each change of what starts it, or of what it does. */
  version: integer(),
  /** Says what starts it. */
  on: json(),
  ...contentColumns,
  /** Events of the outbox up to this position do not start it. */
  startPosition: integer(),
  /** The newest local day, as `YYYY-MM-DD`, for which customers were looked at by their dates; `null` before the first. */
  dateDay: text().nullable(),
  /** All customers with a lower ordinal were looked at for that day. */
  dateCursor: integer(),
  createdAt: time().fixed(),
  updatedAt: time(),
});

export type StoredAutomation = RowOf<typeof automationRecord>;

/** A version of an automation that is no longer the present one, kept for the runs that began with it. */
export const pastAutomationRecord = record("automationVersions", ["automationId", "version"], {
  automationId: text().refersTo("automations", "id"),
  version: integer(),
  ...contentColumns,
  endedAt: time(),
});

export type StoredPastAutomation = RowOf<typeof pastAutomationRecord>;

/** The content of a version of an automation, the present one or a past one. */
export type AutomationContent = Pick<StoredAutomation, keyof typeof contentColumns>;

export const automationRunStatuses = ["WAITING", "DONE", "SKIPPED", "FAILED"] as const;

/** One start of an automation for one customer. It outlives its automation, and goes with the customer. */
export const automationRunRecord = record("automationRuns", ["id"], {
  id: text(),
  automationId: text().fixed(),
  /** The version with which it began. */
  version: integer().fixed(),
  userId: text().refersTo("users", "id").fixed(),
  /** The id of the event that started it, or the day that it is for. No two runs of an automation and user have it alike. */
  occasion: text().fixed(),
  status: oneOf(...automationRunStatuses),
  /** Why it was skipped or failed; `null` for another status. */
  reason: text().nullable(),
  /** The place of the action that failed, from 0; `null` if none did. */
  actionIndex: integer().nullable(),
  /** The time when it was due at first. */
  dueAt: time().fixed(),
  /** The number of times that it could not be done as the storage failed. */
  attempts: integer(),
  /**
   * The time when there is next something to do with it; `null` if there is nothing. One that is `WAITING` has one, and one that
   * is `DONE` while a message of it is to be taken off a card, or put on it.
   */
  nextAttemptAt: time().nullable(),
  createdAt: time().fixed(),
  updatedAt: time(),
});

export type StoredAutomationRun = RowOf<typeof automationRunRecord>;
export type AutomationRunStatus = StoredAutomationRun["status"];

/** The last run of an automation for a customer that was `DONE`: runs themselves are not kept for ever. */
export const automationCompletionRecord = record("automationCompletions", ["automationId", "userId"], {
  automationId: text().refersTo("automations", "id"),
  userId: text().refersTo("users", "id"),
  doneAt: time(),
});

export type StoredAutomationCompletion = RowOf<typeof automationCompletionRecord>;

/** Exists for each organization that has made an automation. */
export const automationQueueRecord = record("automationQueues", [], {
  /** The events of the outbox up to this position have started their runs. */
  position: integer(),
  createdAt: time().fixed(),
});

export type StoredAutomationQueue = RowOf<typeof automationQueueRecord>;

/**
 * Says when there is next something to do for an automation: a run of it is due (`run`), or customers are to be looked at by
 * their dates (`date`).
 */
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

/** Names the runs of an automation, or those for a customer. */
export type AutomationRunOwner = { readonly automationId: string } | { readonly userId: string };

export interface AutomationRunQuery {
  /** `null` for any. */
  readonly status: AutomationRunStatus | null;
  /** From 0. */
  readonly page: number;
  readonly size: number;
}

export interface AutomationRunPage {
  readonly items: readonly StoredAutomationRun[];
  /** The number of runs on all pages. */
  readonly total: number;
}

export interface AutomationReads {
  findAutomation(organizationId: string, id: string): Step<StoredAutomation | null>;
  /** Oldest first: by `createdAt`, then id. */
  listAutomations(organizationId: string): Step<StoredAutomation[]>;
  /** The content of a version of an automation; `null` if there is none, or it is no longer stored. */
  automationVersion(
    organizationId: string,
    automationId: string,
    version: number,
  ): Step<AutomationContent | null>;
  /** Returns how many past versions of an automation are kept. */
  countPastAutomations(organizationId: string, automationId: string): Step<number>;
  findAutomationQueue(organizationId: string): Step<StoredAutomationQueue | null>;
  findAutomationRun(organizationId: string, id: string): Step<StoredAutomationRun | null>;
  /** A page of the runs of an automation or a customer, newest first: by `createdAt`, then id. */
  listAutomationRuns(
    organizationId: string,
    owner: AutomationRunOwner,
    query: AutomationRunQuery,
  ): Step<AutomationRunPage>;
  /** The runs of an automation that are due at `now`, whatever their status, by `nextAttemptAt`, then id; at most `limit`. */
  dueAutomationRuns(
    organizationId: string,
    automationId: string,
    now: number,
    limit: number,
  ): Step<StoredAutomationRun[]>;
  /** The time when the next run of an automation is due; `null` if none is. */
  nextAutomationRunAt(organizationId: string, automationId: string): Step<number | null>;
  /** Returns how many runs for a customer are `DONE` or `FAILED` and were changed after a time. */
  countAutomationRuns(organizationId: string, userId: string, since: number): Step<number>;
  findAutomationCompletion(
    organizationId: string,
    automationId: string,
    userId: string,
  ): Step<StoredAutomationCompletion | null>;
}

/** A job needs an organization with a queue; {@link AutomationReads.findAutomationQueue} keeps other transactions from its jobs. */
export interface AutomationWrites {
  insertAutomation(organizationId: string, automation: StoredAutomation): Step<void>;
  /** Replaces the automation; `createdAt` stays. Returns false if there is none. */
  updateAutomation(organizationId: string, automation: StoredAutomation): Step<boolean>;
  /** Removes the automation with its jobs, its past versions and its uses; its runs stay. Returns false if there is none. */
  deleteAutomation(organizationId: string, id: string): Step<boolean>;
  insertAutomationQueue(organizationId: string, queue: StoredAutomationQueue): Step<void>;
  /** Replaces the queue; `createdAt` stays. Returns false if there is none. */
  updateAutomationQueue(organizationId: string, queue: StoredAutomationQueue): Step<boolean>;
  /** Keeps a past version of an automation that there is. */
  insertPastAutomation(organizationId: string, past: StoredPastAutomation): Step<void>;
  /** Removes the past versions of an automation that ended before a time and have no run that will be due. */
  removePastAutomations(organizationId: string, automationId: string, before: number): Step<void>;
  /**
   * Adds runs (at most 1,000), except those whose automation, user and occasion another run has.
   * @returns the ids of the added runs, in the order given.
   * @throws an error if a user doesn't exist.
   */
  insertAutomationRuns(organizationId: string, runs: readonly StoredAutomationRun[]): Step<string[]>;
  /** Replaces the runs with these ids (at most 1,000), except their fixed columns. Skips ids that don't exist. */
  updateAutomationRuns(organizationId: string, runs: readonly StoredAutomationRun[]): Step<void>;
  /** Makes all runs of an automation that are `WAITING` `SKIPPED` for a reason. @returns how many there were. */
  skipWaitingRuns(
    organizationId: string,
    automationId: string,
    reason: string,
    updatedAt: number,
  ): Step<number>;
  /** Keeps when a run was last `DONE`. @throws an error if there is no such automation or user. */
  putAutomationCompletion(organizationId: string, use: StoredAutomationCompletion): Step<void>;
  /**
   * Removes the oldest runs that were made before a time and will not be due, at most `limit`.
   * @returns how many were removed.
   */
  removeAutomationRuns(organizationId: string, before: number, limit: number): Step<number>;
}
