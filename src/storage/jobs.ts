import type { Step } from "../concurrency/step.js";
import { type Columns, integer, type RowOf, type TableRecord, time, type ValuesOf } from "./record.js";

/** The columns that every job has beside its own. */
export const jobColumns = {
  /** Grows when there is something newer to do before the job is done. */
  revision: integer(),
  /** The number of attempts in a row that have failed, or of claims that were settled without an end. */
  attempts: integer(),
  /** The time when it is due. While a worker has claimed it, the time when that claim ends. */
  nextAttemptAt: time(),
  createdAt: time(),
};

export type Job = Readonly<Record<string, unknown>> & ValuesOf<typeof jobColumns>;

/** A kind of jobs that a worker does when they are due. An organization has one at most of each lane and subject. */
export interface JobKind<Row extends Job = Job> {
  readonly record: TableRecord;
  /** The column by which workers claim: jobs of one lane wait for none of another. */
  readonly lane: string;
  /** The column with the id of what a job is about. */
  readonly subject: string;
  /**
   * The table with a row for each organization that is locked before its jobs, and knows when the next is due. Where it has
   * a `position`, the queue follows the outbox from there.
   */
  readonly queue: TableRecord;
  /** Exists for the compiler alone. */
  readonly row?: Row;
}

/** A job to come: without attempts. */
export type NewJob<Row extends Job = Job> = {
  readonly [Name in keyof Row as Exclude<Name, "attempts">]: Row[Name];
};

/** A worker's claim to some jobs. */
export interface Claim {
  /** Names the claim; given once. */
  readonly lease: string;
  readonly now: number;
  /** The time when the claim ends by itself, and the jobs are due again. */
  readonly until: number;
  readonly limit: number;
}

/** The result of an attempt at a job. */
export interface JobResult {
  readonly subject: string;
  /** The revision that was done. */
  readonly revision: number;
  /** `null` if it is done or given up. */
  readonly nextAttemptAt: number | null;
}

export interface JobReads {
  /**
   * The organizations whose queue of this kind has a job that is due at `now`, a sweep, or a position below the newest one of
   * their outbox. At most `limit`, those that wait longest for a job first.
   */
  queuesWithDueJobs(kind: JobKind, now: number, limit: number): Step<string[]>;
  /** The number of jobs of a lane that are due at `now` and not claimed; `limit` where there are more. */
  countDueJobs(organizationId: string, kind: JobKind, lane: string, now: number, limit: number): Step<number>;
}

/** The jobs of all kinds. All calls in a transaction follow the lock of the queue that the jobs are in. */
export interface JobWrites {
  /**
   * Adds jobs (at most 1,000) of subjects that are there. One that is there already gets the new `revision` and stays
   * otherwise as it is, due when it was due.
   */
  putJobs<Row extends Job>(
    organizationId: string,
    kind: JobKind<Row>,
    jobs: readonly NewJob<Row>[],
  ): Step<void>;
  /**
   * Claims jobs of a lane: those that have been due longest, by `nextAttemptAt`, then subject. Their `nextAttemptAt` becomes
   * the end of the claim.
   * @returns them, in that order.
   */
  claimJobs<Row extends Job>(
    organizationId: string,
    kind: JobKind<Row>,
    lane: string,
    claim: Claim,
  ): Step<Row[]>;
  /**
   * Records results of jobs of a lane that are still held by this lease, and ends the lease. A job to retry gets its
   * `nextAttemptAt` and one more in `attempts`. Finished jobs are removed, except those with a newer revision, which are due at
   * `now` with no attempts.
   * @returns the subjects of the recorded jobs.
   */
  recordResults(
    organizationId: string,
    kind: JobKind,
    lane: string,
    lease: string,
    results: readonly JobResult[],
    now: number,
  ): Step<string[]>;
  /** Removes the jobs of a lane that these subjects (at most 1,000) have, claimed or not. */
  deleteJobs(organizationId: string, kind: JobKind, lane: string, subjects: readonly string[]): Step<void>;
}

export function jobKind<Own extends Columns>(
  record: TableRecord & { readonly columns: Own },
  at: {
    readonly lane: keyof Own & string;
    readonly subject: keyof Own & string;
    readonly queue: TableRecord;
  },
): JobKind<RowOf<typeof record> & Job> {
  return { record, ...at };
}
