/** Publishes frequent events in this process to listeners, for metrics. Costs next to nothing when there are no listeners. */
export class Signal<Value> {
  private readonly listeners = new Set<(value: Value) => void>();

  /**
   * Adds a listener.
   * @param listener the listener, which must not throw.
   * @returns a function that removes the listener.
   */
  on(listener: (value: Value) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  send(value: Value): void {
    for (const listener of this.listeners) listener(value);
  }
}

/**
 * Functions that return current values, such as the number of open connections. They are called each time metrics are collected.
 */
export class Gauges<Value> {
  private readonly readers = new Set<() => Value>();

  /**
   * Adds a function that returns the current value.
   * @param readValue the function, which must not throw.
   * @returns a function that unregisters `readValue`.
   */
  register(readValue: () => Value): () => void {
    this.readers.add(readValue);
    return () => this.readers.delete(readValue);
  }

  readAll(): Value[] {
    return Array.from(this.readers, (readValue) => readValue());
  }
}

/** The state of a database connection pool. */
export interface PoolStats {
  /** Number of connections in use. */
  readonly busy: number;
  /** Number of open connections that aren't in use. */
  readonly idle: number;
  /** Number of callers waiting for a connection. */
  readonly waiting: number;
}

/** The disk usage of a SQLite file, in bytes. */
export interface SqliteFileUse {
  /** Size of the write-ahead log, in bytes. */
  readonly log: number;
  /** Free space on the file's disk, in bytes. */
  readonly free: number;
}

/** Emitted for each attempt to deliver a webhook, whether or not it succeeded. */
export interface WebhookAttemptSignal {
  /** The HTTP status of the response, or `null` if there was no response. */
  readonly status: number | null;
  readonly body: string;
  readonly endedAt: number;
}

/** Emitted for each attempt to send an email, whether or not it succeeded. */
export interface MailAttempt {
  /**
   * `refused`: the mail server rejected the email or its recipient. `transport`: the sender's mail server or settings caused the
   * failure.
   */
  readonly result: "accepted" | "refused" | "transport";
  /** When the email was queued, in milliseconds since the Unix epoch. */
  readonly createdAt: number;
  readonly endedAt: number;
}

/** The signals that all services in this process share. */
export const signals = {
  /** Emitted when several database transactions shared one commit. The value is the number of transactions. */
  commit: new Signal<number>(),
  /** Emitted when a set of users was read. The value is true if the set was cached. */
  segmentRead: new Signal<boolean>(),
  /** Emitted when a customer filter was planned for the first time. The value is the number of conditions in the filter. */
  filterPlanned: new Signal<number>(),
  webhookAttempt: new Signal<WebhookAttemptSignal>(),
  mailAttempt: new Signal<MailAttempt>(),
  /** Emitted with true when emails start waiting for their transport, and with false when sending resumes. */
  mailWaits: new Signal<boolean>(),
} as const;

/** The gauges shared by all services in this process. They are read when metrics are collected. */
export const gauges = {
  pools: new Gauges<PoolStats>(),
  sqliteFiles: new Gauges<SqliteFileUse>(),
} as const;

/** A kind of work that runs in a worker thread. */
export type ThreadWork = "checkpoints" | "large_changes" | "pictures";

const consequences: Readonly<Record<ThreadWork, string>> = {
  checkpoints: "SQLite checkpoints block the event loop",
  large_changes: "Large SQLite transactions block the event loop",
  pictures: "Stamps and pictures are drawn on the event loop, and large pictures aren't drawn",
};

/** Thrown when a worker thread can't start. The message explains the consequences, and `cause` is the original error. */
export class MissingThreadError extends Error {
  override readonly name = "MissingThreadError";

  constructor(
    readonly work: ThreadWork,
    cause: unknown,
  ) {
    const [reason] = String(cause instanceof Error ? cause.message : cause).split("\n", 1);
    super(`${consequences[work]}, because a worker thread can't start: ${reason}`, { cause });
  }

  /** The cause's error code, or its name if it has no code. */
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
   * Calls a listener once for each thread that failed to start, including the threads that failed before this call.
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

/** The worker threads that failed to start in this process, across all services. */
export const missingThreads = new MissingThreads();
