import type { Step } from "../concurrency/step.js";
import { type Columns, integer, type RowOf, type TableRecord, time, type ValuesOf } from "./record.js";

/** The columns that every job has in addition to its own. */
export const jobColumns = {
  /** Incremented when new work arrives before the job is done. */
  revision: integer(),
  /** The number of consecutive attempts that failed, or of claims whose recorded results left the job unfinished. */
  attempts: integer(),
  /** The time when it is due; while a worker holds a claim on it, the time when the claim expires. */
  nextAttemptAt: time(),
  createdAt: time(),
};

export type Job = Readonly<Record<string, unknown>> & ValuesOf<typeof jobColumns>;

/** A kind of job that workers run when due. An organization has at most one job for each lane and subject. */
export interface JobKind<Row extends Job = Job> {
  readonly record: TableRecord;
  /** The column that workers claim by: jobs in one lane never wait for another lane. */
  readonly lane: string;
  /** The column that holds the id of the job's subject. */
  readonly subject: string;
  /**
   * The table with one row per organization that is locked before its jobs, and stores when the next job is due. If it has a
   * `position` column, the queue follows the outbox from that position.
   */
  readonly queue: TableRecord;
  /** For type inference only; never set. */
  readonly row?: Row;
}

/** A new job, without attempts. */
export type NewJob<Row extends Job = Job> = {
  readonly [Name in keyof Row as Exclude<Name, "attempts">]: Row[Name];
};

/** A worker's claim on some jobs. */
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
  /** The revision that the attempt processed. */
  readonly revision: number;
  /** `null` if the job is finished or given up. */
  readonly nextAttemptAt: number | null;
}

export interface JobReads {
  /**
   * Returns the organizations whose queue of this kind has a job that is due at `now`, a sweep, or a position below the newest one
   * in their outbox. At most `limit`, longest-waiting first.
   */
  queuesWithDueJobs(kind: JobKind, now: number, limit: number): Step<string[]>;
  /** Returns the number of jobs in a lane that are due at `now` and not claimed, at most `limit`. */
  countDueJobs(organizationId: string, kind: JobKind, lane: string, now: number, limit: number): Step<number>;
}

/** Writes for jobs of all kinds. Within a transaction, all calls must come after the job's queue was locked. */
export interface JobWrites {
  /**
   * Adds jobs (at most 1,000), whose subjects must exist. An existing job only gets the new `revision`, and stays due when it was.
   */
  putJobs<Row extends Job>(
    organizationId: string,
    kind: JobKind<Row>,
    jobs: readonly NewJob<Row>[],
  ): Step<void>;
  /**
   * Claims jobs in a lane: the ones that have been due longest, by `nextAttemptAt`, then subject. Sets their `nextAttemptAt` to the
   * end of the claim.
   * @returns the claimed jobs, in that order.
   */
  claimJobs<Row extends Job>(
    organizationId: string,
    kind: JobKind<Row>,
    lane: string,
    claim: Claim,
  ): Step<Row[]>;
  /**
   * Records the results of jobs in a lane that are still held by this lease, and ends the lease. A job to retry gets its
   * `nextAttemptAt`, and its `attempts` is incremented. Finished jobs are removed, unless they have a newer revision; these become
   * due at `now` with `attempts` reset to 0.
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
  /** Removes the jobs of these subjects (at most 1,000) from a lane, whether or not they are claimed. */
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
