/** A channel for frequent events of this process, for metrics. Without listeners it costs next to nothing. */
export class Signal<Value> {
  private readonly listeners = new Set<(value: Value) => void>();

  /**
   * @param listener must not throw.
   * @returns a function that ends the subscription.
   */
  on(listener: (value: Value) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  send(value: Value): void {
    for (const listener of this.listeners) listener(value);
  }
}

/** Current values that a reader polls from time to time. */
export class Gauges<Value> {
  private readonly readers = new Set<() => Value>();

  /**
   * @param read must not throw.
   * @returns a function that ends the registration.
   */
  register(read: () => Value): () => void {
    this.readers.add(read);
    return () => this.readers.delete(read);
  }

  readAll(): Value[] {
    return Array.from(this.readers, (read) => read());
  }
}

/** The state of a database connection pool. */
export interface PoolStats {
  /** Number of connections in use. */
  readonly busy: number;
  /** Number of open connections that aren't in use. */
  readonly idle: number;
  /** Number of callers that wait for a connection. */
  readonly waiting: number;
}

/** The disk usage of a SQLite file, in bytes. */
export interface SqliteFileUse {
  /** Size of the write-ahead log. */
  readonly log: number;
  /** Free space on the file's disk. */
  readonly free: number;
}

/** An attempt to deliver a webhook, whether or not it succeeded. */
export interface WebhookAttemptSignal {
  /** The response's HTTP status; `null` if there was no response. */
  readonly status: number | null;
  readonly body: string;
  readonly endedAt: number;
}

/** An attempt to send an email, whether or not it succeeded. */
export interface MailAttempt {
  /** `refused`: the mail server rejected the email or its address. `transport`: the transport failed. */
  readonly result: "accepted" | "refused" | "transport";
  /** The time when the email was queued. */
  readonly createdAt: number;
  readonly endedAt: number;
}

/** The signals of this process, shared by all its services. */
export const signals = {
  /** Several database transactions shared one commit; the value is the number of transactions. */
  commit: new Signal<number>(),
  /** A set of users was read; true if it was cached. */
  segmentRead: new Signal<boolean>(),
  /** A customer filter was planned for the first time; the value is the number of its conditions. */
  filterPlanned: new Signal<number>(),
  webhookAttempt: new Signal<WebhookAttemptSignal>(),
  mailAttempt: new Signal<MailAttempt>(),
  /** True when emails start to wait for their transport, false when sending resumes. */
  mailWaits: new Signal<boolean>(),
} as const;

/** The gauges of this process, shared by all its services. */
export const gauges = {
  pools: new Gauges<PoolStats>(),
  sqliteFiles: new Gauges<SqliteFileUse>(),
} as const;

/** A kind of work that runs in a thread. */
export type ThreadWork = "checkpoints" | "large_changes" | "pictures";

const withoutThread: Readonly<Record<ThreadWork, string>> = {
  checkpoints: "Checkpoints of SQLite hold up the event loop",
  large_changes: "Large changes of SQLite hold up the event loop",
  pictures: "Stamps and pictures are drawn on the event loop, without large pictures",
};

/** Reports that a thread can't start, and the consequences. `cause` is the original error. */
export class MissingThreadError extends Error {
  override readonly name = "MissingThreadError";

  constructor(
    readonly work: ThreadWork,
    cause: unknown,
  ) {
    const [reason] = String(cause instanceof Error ? cause.message : cause).split("\n", 1);
    super(`${withoutThread[work]}, because a thread can't start: ${reason}`, { cause });
  }

  /** The error code of the cause, or its name if it has no code. */
  get causeCode(): string {
    if (!(this.cause instanceof Error)) return "unknown";
    return "code" in this.cause && typeof this.cause.code === "string" ? this.cause.code : this.cause.name;
  }
}

/** The threads that this process failed to start: the first failure for each kind of work. */
class MissingThreads {
  readonly #errors = new Map<ThreadWork, MissingThreadError>();
  readonly #reports = new Signal<MissingThreadError>();

  /**
   * Calls a listener once for each missing thread, beginning with the ones already known.
   * @returns a function that ends the subscription.
   */
  on(listener: (error: MissingThreadError) => void): () => void {
    for (const error of this.#errors.values()) listener(error);
    return this.#reports.on(listener);
  }

  report(error: MissingThreadError): void {
    if (this.#errors.has(error.work)) return;
    this.#errors.set(error.work, error);
    this.#reports.send(error);
  }

  readAll(): readonly MissingThreadError[] {
    return [...this.#errors.values()];
  }
}

/** The missing threads of this process, shared by all its services. */
export const missingThreads = new MissingThreads();
