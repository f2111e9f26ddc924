import type { Step } from "../base/concurrency/step.js";
import { type Columns, integer, type RowOf, type TableRecord, time, type ValuesOf } from "./record.js";

/** The columns that jobs of every kind have. */
export const jobColumns = {
  /** Incremented when new work arrives while the job still exists. */
  revision: integer(),
  /** Number of consecutive attempts that failed, or claims whose recorded results left the job unfinished. */
  attempts: integer(),
  /** The time when the job is due. While a worker holds a claim on the job, the time when the claim expires. */
  nextAttemptAt: time(),
  createdAt: time(),
};

export type Job = Readonly<Record<string, unknown>> & ValuesOf<typeof jobColumns>;

/** A kind of job that workers run when it is due. An organization has at most one job for each lane and subject. */
export interface JobKind<Row extends Job = Job> {
  readonly record: TableRecord;
  /**
   * The name of the lane column. Workers claim jobs from one lane at a time, so jobs in one lane never wait for jobs in another.
   */
  readonly lane: string;
  /** The name of the column with the id of the job's subject. */
  readonly subject: string;
  /**
   * The queue table, which has one row per organization. The row is locked before the organization's jobs are changed, and stores
   * when the next job is due. If the table has a `position` column, the queue follows the outbox from that position.
   */
  readonly queue: TableRecord;
  /** Exists only for type inference, and is never set. */
  readonly row?: Row;
}

/** A job to add, which has had no attempts. */
export type NewJob<Row extends Job = Job> = {
  readonly [Name in keyof Row as Exclude<Name, "attempts">]: Row[Name];
};

/** A worker's claim on some of the jobs in a queue. */
export interface Claim {
  /** The claim's unique id. */
  readonly lease: string;
  readonly now: number;
  /** The time when the claim expires and the jobs are due again. */
  readonly until: number;
  readonly limit: number;
}

/** The result of an attempt at a job. */
export interface JobResult {
  readonly subject: string;
  /** The revision of the job that the attempt processed. */
  readonly revision: number;
  /** The time of the next attempt, or `null` if the job is finished or abandoned. */
  readonly nextAttemptAt: number | null;
}

export interface JobReads {
  /**
   * Returns up to `limit` organizations whose queue of this kind has work, longest-waiting first. Work is a job that is due at
   * `now`, an unfinished sweep, or events in the outbox after the queue's position.
   */
  queuesWithDueJobs(kind: JobKind, now: number, limit: number): Step<string[]>;
  /** Counts the jobs in a lane that are due at `now` and not claimed. Stops counting at `limit`. */
  countDueJobs(organizationId: string, kind: JobKind, lane: string, now: number, limit: number): Step<number>;
}

/** Writes for jobs of all kinds. The transaction must lock the queue before it calls any of these methods. */
export interface JobWrites {
  /**
   * Adds up to 1,000 jobs, whose subjects must exist. If a job already exists, only its `revision` is replaced, and its due time
   * stays the same.
   */
  putJobs<Row extends Job>(
    organizationId: string,
    kind: JobKind<Row>,
    jobs: readonly NewJob<Row>[],
  ): Step<void>;
  /**
   * Claims the jobs in a lane that have been due longest, by `nextAttemptAt`, then subject. Sets their `nextAttemptAt` to the time
   * when the claim expires.
   * @returns the claimed jobs, in the same order.
   */
  claimJobs<Row extends Job>(
    organizationId: string,
    kind: JobKind<Row>,
    lane: string,
    claim: Claim,
  ): Step<Row[]>;
  /**
   * Records the results of jobs in a lane that this lease still holds, and releases them. If a job is to be retried, stores its
   * `nextAttemptAt` and increments its `attempts`. Removes a finished job, unless it has a newer revision, in which case the job
   * becomes due at `now` with `attempts` reset to 0.
   * @returns the subjects of the jobs whose results were recorded.
   */
  recordResults(
    organizationId: string,
    kind: JobKind,
    lane: string,
    lease: string,
    results: readonly JobResult[],
    now: number,
  ): Step<string[]>;
  /** Removes the jobs for these subjects (at most 1,000) from a lane, whether or not they are claimed. */
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
