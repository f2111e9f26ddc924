/** Something that happens often in this process, for whoever counts. Without a listener it costs next to nothing. */
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

/** Values that stand at any time, for whoever reads them now and then. */
export class Readings<Value> {
  private readonly readers = new Set<() => Value>();

  /** @param read must not throw. @returns a function that ends it. */
  by(read: () => Value): () => void {
    this.readers.add(read);
    return () => this.readers.delete(read);
  }

  now(): Value[] {
    return Array.from(this.readers, (read) => read());
  }
}

/** The connections of a pool to a database. */
export interface PoolReading {
  /** Connections in use. */
  readonly busy: number;
  /** Open connections that nobody uses. */
  readonly idle: number;
  /** The number of those who wait for a connection. */
  readonly waiting: number;
}

/** An attempt to deliver a webhook, however it went. */
export interface WebhookAttempt {
  /** The status of the response; `null` without a response. */
  readonly status: number | null;
  readonly body: string;
  readonly endedAt: number;
}

/** An attempt to send a mail, however it went. */
export interface MailAttempt {
  /** `refused` is said of the mail or its address, `transport` of whatever carries mails. */
  readonly result: "accepted" | "refused" | "transport";
  /** When the mail was queued. */
  readonly createdAt: number;
  readonly endedAt: number;
}

/** The signals of this process, of all its services together. */
export const signals = {
  /** Transactions of a database that were committed at once, and how many of them. */
  commit: new Signal<number>(),
  /** A set of users was read; true when the cache had it. */
  segmentRead: new Signal<boolean>(),
  /** A filter of customers was planned that was not planned before, with so many conditions. */
  filterPlanned: new Signal<number>(),
  webhookAttempt: new Signal<WebhookAttempt>(),
  mailAttempt: new Signal<MailAttempt>(),
  /** True when mails begin to wait for their transport, false when they go again. */
  mailWaits: new Signal<boolean>(),
} as const;

/** The readings of this process, of all its services together. */
export const readings = {
  pools: new Readings<PoolReading>(),
  /** The size of the write-ahead log of a SQLite file, in bytes. */
  sqliteLogs: new Readings<number>(),
} as const;
