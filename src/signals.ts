/** A frequent event of this process, for metrics. Without a listener it costs next to nothing. */
export class Signal<Value> {
  private readonly listeners = new Set<(value: Value) => void>();

  /** @param listener must not throw. @returns a function that ends it. */
  on(listener: (value: Value) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  send(value: Value): void {
    for (const listener of this.listeners) listener(value);
  }
}

/** Current values, which a reader polls now and then. */
export class Gauges<Value> {
  private readonly readers = new Set<() => Value>();

  /** @param read must not throw. @returns a function that ends it. */
  register(read: () => Value): () => void {
    this.readers.add(read);
    return () => this.readers.delete(read);
  }

  readAll(): Value[] {
    return Array.from(this.readers, (read) => read());
  }
}

/** The connections of a pool to a database. */
export interface PoolStats {
  /** Connections in use. */
  readonly busy: number;
  /** Open connections that aren't in use. */
  readonly idle: number;
  /** The number of those who wait for a connection. */
  readonly waiting: number;
}

/** The bytes that belong to a SQLite file. */
export interface SqliteFileUse {
  /** The size of the write-ahead log. */
  readonly log: number;
  /** Free space on the disk of the file. */
  readonly free: number;
}

/** An attempt to deliver a webhook, however it went. */
export interface WebhookAttemptSignal {
  /** The status of the response; `null` without a response. */
  readonly status: number | null;
  readonly body: string;
  readonly endedAt: number;
}

/** An attempt to send a mail, however it went. */
export interface MailAttempt {
  /** `refused` is said of the mail or its address, `transport` of whatever carries mails. */
  readonly result: "accepted" | "refused" | "transport";
  /** The time when the mail was queued. */
  readonly createdAt: number;
  readonly endedAt: number;
}

/** The signals of this process, of all its services together. */
export const signals = {
  /** Transactions of a database that shared one commit, and their number. */
  commit: new Signal<number>(),
  /** A set of users was read; true when the cache had it. */
  segmentRead: new Signal<boolean>(),
  /** A filter of customers was planned for the first time; the number of its conditions. */
  filterPlanned: new Signal<number>(),
  webhookAttempt: new Signal<WebhookAttemptSignal>(),
  mailAttempt: new Signal<MailAttempt>(),
  /** True when mails begin to wait for their transport, false when they go again. */
  mailWaits: new Signal<boolean>(),
} as const;

/** The readings of this process, of all its services together. */
export const gauges = {
  pools: new Gauges<PoolStats>(),
  sqliteFiles: new Gauges<SqliteFileUse>(),
} as const;

/** Work that threads do. */
export type ThreadWork = "checkpoints" | "large_changes" | "pictures";

const withoutThread: Readonly<Record<ThreadWork, string>> = {
  checkpoints: "Checkpoints of SQLite hold up the event loop",
  large_changes: "Large changes of SQLite hold up the event loop",
  pictures: "Stamps and pictures are drawn on the event loop, without large pictures",
};

/** Reports that a thread can't start, and what happens without it. `cause` is the reason. */
export class MissingThreadError extends Error {
  override readonly name = "MissingThreadError";

  constructor(
    readonly work: ThreadWork,
    cause: unknown,
  ) {
    const [reason] = String(cause instanceof Error ? cause.message : cause).split("\n", 1);
    super(`${withoutThread[work]}, because a thread can't start: ${reason}`, { cause });
  }

  /** The code or the name of the cause. */
  get causeCode(): string {
    if (!(this.cause instanceof Error)) return "unknown";
    return "code" in this.cause && typeof this.cause.code === "string" ? this.cause.code : this.cause.name;
  }
}

/** The threads that this process misses: the first failure of each kind of work. */
class MissingThreads {
  readonly #errors = new Map<ThreadWork, MissingThreadError>();
  readonly #reports = new Signal<MissingThreadError>();

  /** Calls a listener for each missing thread once: first for those that are known. @returns a function that ends it. */
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

/** The missing threads of this process, of all its services together. */
export const missingThreads = new MissingThreads();
