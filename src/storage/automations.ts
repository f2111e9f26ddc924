import type { Step } from "../base/concurrency/step.js";
import { jobColumns, jobKind, type NewJob } from "./jobs.js";
import { boolean, integer, json, oneOf, type RowOf, record, text, time } from "./record.js";

/**
 * The columns that define an automation's content: its actions, its audience, how often it runs, its delay in days, and its
 * creator, whose rights it has.
 */
const contentColumns = {
  /** A filter that customers must match, or `null` for all customers. */
  if: json().nullable(),
  /** Delay between the trigger and the run, in days. */
  after: integer(),
  /** The list of actions, as JSON text. */
  do: json(),
  /**
   * How often the automation can run for the same customer, as JSON text: `"once"`, `"occasion"` (every time), or
   * `{"everyDays":N}`.
   */
  per: json(),
  /**
   * The API token, person or grant that created or last changed the automation, which may no longer exist. `null` for the host's
   * own code.
   */
  creatorId: text().nullable(),
} as const;

export const automationRecord = record("automations", ["id"], {
  /** The automation's ID, unique within the organization. */
  id: text(),
  /** The name that people see. */
  name: text(),
  /** True if the automation can start new runs. */
  isEnabled: boolean(),
  /** Starts at 1 and is incremented by each change to the trigger or content. */
  version: integer(),
  /** The trigger, as JSON text. */
  on: json(),
  ...contentColumns,
  /** Only events after this outbox position trigger the automation. */
  startPosition: integer(),
  /** The newest local day, as `YYYY-MM-DD`, for which customers' dates have been checked. `null` before the first check. */
  dateDay: text().nullable(),
  /** All customers with a lower ordinal have been checked for `dateDay`. */
  dateCursor: integer(),
  /** When the automation was created, in milliseconds since the Unix epoch. */
  createdAt: time().fixed(),
  /** When the automation was last changed, enabled, or disabled, in milliseconds since the Unix epoch. */
  updatedAt: time(),
});

export type StoredAutomation = RowOf<typeof automationRecord>;

/** A past version of an automation, kept for the runs that started with it. */
export const pastAutomationRecord = record("automationVersions", ["automationId", "version"], {
  /** The ID of the automation. */
  automationId: text().refersTo("automations", "id"),
  /** The version number that the automation had with this content. */
  version: integer(),
  ...contentColumns,
  /** When a newer version replaced this one, in milliseconds since the Unix epoch. */
  endedAt: time(),
});

export type StoredPastAutomation = RowOf<typeof pastAutomationRecord>;

/** The content of a current or past version of an automation. */
export type AutomationContent = Pick<StoredAutomation, keyof typeof contentColumns>;

export const automationRunStatuses = ["WAITING", "DONE", "SKIPPED", "FAILED"] as const;

/**
 * One execution of an automation for one customer. If the automation is deleted, the run stays in storage. If the customer is
 * deleted, the run is removed.
 */
export const automationRunRecord = record("automationRuns", ["id"], {
  /** The run's ID, unique within the organization. */
  id: text(),
  /** The ID of the automation, which may have been deleted. */
  automationId: text().fixed(),
  /** The automation's version when the run was created. */
  version: integer().fixed(),
  /** The ID of the customer for whom the automation runs. */
  userId: text().refersTo("users", "id").fixed(),
  /** The ID of the event that triggered the run, or the day that the run is for. Unique for each automation and user. */
  occasion: text().fixed(),
  /** The run's status. A run is `WAITING` until it is done, skipped, or failed. */
  status: oneOf(...automationRunStatuses),
  /** Why the run was skipped or failed, or `null` for any other status. */
  reason: text().nullable(),
  /** The index of the failed action, from 0. `null` if no action failed. */
  actionIndex: integer().nullable(),
  /** The time when the run was originally due. */
  dueAt: time().fixed(),
  /** The number of attempts that failed because of a storage error. */
  attempts: integer(),
  /**
   * The time of the run's next step, or `null` if there is none. Set while the run is `WAITING`, and while it is `DONE` but one of
   * its messages must still be put on a card or removed from it.
   */
  nextAttemptAt: time().nullable(),
  /** When the run was created, in milliseconds since the Unix epoch. */
  createdAt: time().fixed(),
  /** When the run last changed, in milliseconds since the Unix epoch. */
  updatedAt: time(),
});

export type StoredAutomationRun = RowOf<typeof automationRunRecord>;
export type AutomationRunStatus = StoredAutomationRun["status"];

/**
 * When an automation last completed a run for a customer. Stored separately because the runs themselves are removed after a while.
 */
export const automationCompletionRecord = record("automationCompletions", ["automationId", "userId"], {
  /** The ID of the automation. */
  automationId: text().refersTo("automations", "id"),
  /** The ID of the user for whom the automation ran. */
  userId: text().refersTo("users", "id"),
  /** When the last completed run finished, in milliseconds since the Unix epoch. */
  doneAt: time(),
});

export type StoredAutomationCompletion = RowOf<typeof automationCompletionRecord>;

/** An organization's automation queue. Exists only if the organization has created an automation. */
export const automationQueueRecord = record("automationQueues", [], {
  /** Runs have been created for all events up to this outbox position. */
  position: integer(),
  /** When the queue was created, in milliseconds since the Unix epoch. */
  createdAt: time().fixed(),
});

export type StoredAutomationQueue = RowOf<typeof automationQueueRecord>;

/**
 * A job that schedules an automation's next step: starting due runs if `lane` is `run`, or checking customers' dates if `lane` is
 * `date`.
 */
export const automationJobRecord = record("automationJobs", ["lane", "automationId"], {
  /** The ID of the automation whose next step is scheduled. */
  automationId: text().refersTo("automations", "id"),
  /** What the next step is: starting due runs (`run`) or checking customers' dates (`date`). */
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
  isLockedAlone: false,
});

/** Selects the runs of one automation, or the runs of all automations for one customer. */
export type AutomationRunOwner =
  | {
      /** The ID of the automation whose runs are selected. */
      readonly automationId: string;
    }
  | {
      /** The ID of the customer whose runs are selected. */
      readonly userId: string;
    };

export interface AutomationRunQuery {
  /** Only runs with this status are returned. `null` returns runs with any status. */
  readonly status: AutomationRunStatus | null;
  /** The zero-based page number. */
  readonly page: number;
  /** Maximum number of runs per page. */
  readonly size: number;
}

export interface AutomationRunPage {
  /** The runs on this page, newest first. */
  readonly items: readonly StoredAutomationRun[];
  /** The total number of runs on all pages. */
  readonly total: number;
}

export interface AutomationReads {
  /** Finds an automation by its ID, whether enabled or disabled. Returns `null` if there is none. */
  findAutomation(id: string): Step<StoredAutomation | null>;
  /** Lists the automations, sorted by `createdAt` (oldest first), then by ID. */
  listAutomations(): Step<StoredAutomation[]>;
  /** Returns the content of the given version of an automation, or `null` if there is no such version or it is no longer stored. */
  automationVersion(automationId: string, version: number): Step<AutomationContent | null>;
  /** Counts the stored past versions of an automation. The current version isn't included. */
  countPastAutomations(automationId: string): Step<number>;
  /** Finds a run by its ID, even if its automation has been deleted. Returns `null` if there is none. */
  findAutomationRun(id: string): Step<StoredAutomationRun | null>;
  /**
   * Returns a page of runs for one automation or one customer, sorted by `createdAt` (newest first), then by ID in descending
   * order.
   */
  listAutomationRuns(owner: AutomationRunOwner, query: AutomationRunQuery): Step<AutomationRunPage>;
  /**
   * Returns up to `limit` runs of an automation that are due at `now`, regardless of their status, sorted by `nextAttemptAt`, then
   * by ID.
   */
  dueAutomationRuns(automationId: string, now: number, limit: number): Step<StoredAutomationRun[]>;
  /** Returns when the automation's next run is due, or `null` if none is scheduled. */
  nextAutomationRunAt(automationId: string): Step<number | null>;
  /** Counts a customer's `DONE` and `FAILED` runs that were updated after `since`. */
  countAutomationRuns(userId: string, since: number): Step<number>;
  /** Returns when an automation last completed a run for a customer, or `null` if it never has. */
  findAutomationCompletion(automationId: string, userId: string): Step<StoredAutomationCompletion | null>;
}

/**
 * Write operations for automations, their runs, and their jobs. Jobs can be stored only after the organization's queue has been
 * created.
 */
export interface AutomationWrites {
  /** Adds an automation. Its ID must be unused. */
  insertAutomation(automation: StoredAutomation): Step<void>;
  /** Replaces the stored automation with the same ID, but keeps its `createdAt`. Returns `false` if there is no such automation. */
  updateAutomation(automation: StoredAutomation): Step<boolean>;
  /**
   * Removes the automation, its jobs, past versions, and completions. Its runs stay in storage. Returns `false` if there is no such
   * automation.
   */
  deleteAutomation(id: string): Step<boolean>;
  /** Stores a past version of an automation. The automation must exist. */
  insertPastAutomation(past: StoredPastAutomation): Step<void>;
  /** Removes the automation's past versions that ended before the given time, unless an unfinished run uses them. */
  removePastAutomations(automationId: string, before: number): Step<void>;
  /**
   * Adds up to 1,000 runs. Skips any run whose automation, user, and occasion match an existing run.
   * @returns the IDs of the added runs, in input order.
   * @throws an error if a user doesn't exist.
   */
  insertAutomationRuns(runs: readonly StoredAutomationRun[]): Step<string[]>;
  /** Replaces the stored runs with the same IDs (at most 1,000), but keeps their fixed columns. Ignores IDs that don't exist. */
  updateAutomationRuns(runs: readonly StoredAutomationRun[]): Step<void>;
  /**
   * Changes the status of an automation's `WAITING` runs to `SKIPPED`, with the given reason.
   * @returns the number of skipped runs.
   */
  skipWaitingRuns(automationId: string, reason: string, updatedAt: number): Step<number>;
  /**
   * Stores when an automation last completed a run for a customer.
   * @throws an error if the automation or user doesn't exist.
   */
  putAutomationCompletion(use: StoredAutomationCompletion): Step<void>;
  /**
   * Removes up to `limit` runs that were created before the given time and have no next attempt scheduled, oldest first.
   * @returns the number of removed runs.
   */
  removeAutomationRuns(before: number, limit: number): Step<number>;
}
