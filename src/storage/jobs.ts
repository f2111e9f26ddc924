import type { Step } from "../base/concurrency/step.js";
import { type Columns, integer, type RowOf, type TableRecord, time, type ValuesOf } from "./record.js";

/** The columns that all job tables share, so that workers can claim jobs of any kind in the same way. */
export const jobColumns = {
  /** Incremented when new work arrives while the job still exists. */
  revision: integer(),
  /** Number of consecutive attempts that failed, or claims whose recorded results left the job unfinished. */
  attempts: integer(),
  /** The time when the job is due. While a worker holds a claim on the job, the time when the claim expires. */
  nextAttemptAt: time(),
  /** When the job was added, in milliseconds since the Unix epoch. */
  createdAt: time(),
};

export type Job = Readonly<Record<string, unknown>> & ValuesOf<typeof jobColumns>;

/** A kind of job. Workers run each job when it is due. An organization has at most one job per lane and subject. */
export interface JobKind<Row extends Job = Job, Queue extends object = object> {
  /** The table that holds the jobs of all lanes, one row per job. */
  readonly record: TableRecord;
  /**
   * The name of the column that holds the job's lane. Workers claim jobs from one lane at a time, so jobs in one lane never wait
   * for jobs in another.
   */
  readonly lane: string;
  /** The name of the column that holds the job's subject, which is the ID of the row that the job is about. */
  readonly subject: string;
  /**
   * The table that holds one queue per organization. A queue's row stores when its next job is due, and is locked before the
   * organization's jobs are changed. If the table has a `position` column, the queue follows the outbox from that position.
   */
  readonly queue: TableRecord;
  /**
   * Whether a transaction that locks the queue locks nothing else, so that workers and the organization's other changes never wait
   * for each other. Otherwise, it locks the whole organization.
   */
  readonly isLockedAlone: boolean;
  /** Used only for type inference, and never set. */
  readonly row?: Row;
  /** Used only for type inference, and never set. */
  readonly queueRow?: Queue;
}

/** A job to add. It hasn't been attempted yet. */
export type NewJob<Row extends Job = Job> = {
  readonly [Name in keyof Row as Exclude<Name, "attempts">]: Row[Name];
};

/** A worker's claim on some of the jobs in a queue. */
export interface Claim {
  /** The claim's unique ID. The worker needs this ID to record the jobs' results. */
  readonly lease: string;
  /** The current time, in milliseconds since the Unix epoch. Only jobs that are due at or before this time can be claimed. */
  readonly now: number;
  /** The time when the claim expires and the jobs become due again, in milliseconds since the Unix epoch. */
  readonly until: number;
  /** Maximum number of jobs to claim. The jobs that became due first are claimed first. */
  readonly limit: number;
}

/** The result of an attempt at a job: whether to retry the job, and when. */
export interface JobResult {
  /** The ID of the job's subject, which identifies the job within its lane. */
  readonly subject: string;
  /** The job's revision when it was claimed. If the job's revision has increased since then, the job runs again. */
  readonly revision: number;
  /** The time of the next attempt, in milliseconds since the Unix epoch. `null` if the job is finished or abandoned. */
  readonly nextAttemptAt: number | null;
}

export interface JobReads {
  /** Returns the organization's queue of a kind, or `null` if it has none yet. Never locks the queue. */
  findQueue<Queue extends object>(kind: JobKind<Job, Queue>): Step<Queue | null>;
  /** Counts the jobs in a lane that are due at `now` and unclaimed. Stops counting at `limit`. */
  countDueJobs(kind: JobKind, lane: string, now: number, limit: number): Step<number>;
}

/** Look-ups across all organizations. */
export interface JobLookUps {
  /**
   * Returns the IDs of up to `limit` organizations that have work in their queue of this kind, longest-waiting first. A queue has
   * work if a job is due at `now`, if a sweep is unfinished, or if the outbox contains events after the queue's position.
   */
  queuesWithDueJobs(kind: JobKind, now: number, limit: number): Step<string[]>;
}

/**
 * Write operations for queues and jobs of all kinds. A transaction must call {@link lockQueue} before it changes a queue, its jobs,
 * or the rows that the jobs are about.
 */
export interface JobWrites {
  /** Creates the organization's queue of a kind, which must not exist yet. */
  insertQueue<Queue extends object>(kind: JobKind<Job, Queue>, queue: Queue): Step<void>;
  /**
   * Locks the organization's queue of a kind until the transaction ends, and returns it, or `null` if there is none yet. If another
   * transaction holds the lock, waits for it to end.
   */
  lockQueue<Queue extends object>(kind: JobKind<Job, Queue>): Step<Queue | null>;
  /** Locks a queue that is locked alone, like {@link lockQueue}, but returns `null` if another transaction holds the lock. */
  tryLockQueue<Queue extends object>(kind: JobKind<Job, Queue>): Step<Queue | null>;
  /** Replaces the organization's queue, except its fixed columns. Returns `false` if the organization has no queue. */
  updateQueue<Queue extends object>(kind: JobKind<Job, Queue>, queue: Queue): Step<boolean>;
  /**
   * Adds up to 1,000 jobs. Their subjects must exist. If a job already exists, replaces only its `revision` and keeps its due time.
   */
  putJobs<Row extends Job>(kind: JobKind<Row>, jobs: readonly NewJob<Row>[]): Step<void>;
  /**
   * Claims the jobs in a lane that have been due the longest, sorted by `nextAttemptAt`, then by subject. Sets their
   * `nextAttemptAt` to the time when the claim expires.
   * @returns the claimed jobs, in the same order.
   */
  claimJobs<Row extends Job>(kind: JobKind<Row>, lane: string, claim: Claim): Step<Row[]>;
  /**
   * Records the results of the jobs in a lane that are still claimed under this lease, and releases the jobs. For a job that will
   * be retried, stores `nextAttemptAt` and increments `attempts`. A finished job is removed, unless it has a newer revision. In
   * that case, it becomes due at `now`, and `attempts` is reset to 0.
   * @returns the subjects of the jobs whose results were recorded.
   */
  recordResults(
    kind: JobKind,
    lane: string,
    lease: string,
    results: readonly JobResult[],
    now: number,
  ): Step<string[]>;
  /** Removes the jobs for these subjects (at most 1,000) from a lane, whether or not they are claimed. */
  deleteJobs(kind: JobKind, lane: string, subjects: readonly string[]): Step<void>;
}

export function jobKind<Own extends Columns, OfQueue extends Columns>(
  record: TableRecord & { readonly columns: Own },
  at: {
    readonly lane: keyof Own & string;
    readonly subject: keyof Own & string;
    readonly queue: TableRecord & { readonly columns: OfQueue };
    readonly isLockedAlone: boolean;
  },
): JobKind<RowOf<typeof record> & Job, ValuesOf<OfQueue>> {
  return { record, ...at };
}
