import { awaitInStep, runSyncIfPossible, type Step } from "../../../src/base/concurrency/step.js";
import { unavailable } from "../../../src/base/errors.js";
import { createMethodsClass, createReaderClass } from "../../../src/storage/methods.js";
import {
  type SnapshotOptions,
  type StorageAdapter,
  StorageConflict,
  type StorageLookUps,
  type StorageReader,
  type StorageTransaction,
} from "../../../src/storage/storage-adapter.js";
import type { Access, MemoryLookUpContext, MemoryReadContext, MemoryWriteContext } from "./port-functions.js";
import { lookUps, reads } from "./reader.js";
import { Store } from "./store/store.js";
import { UndoLog } from "./store/undo-log.js";
import { sharedCooldowns, writes } from "./transaction.js";

interface LockRequest {
  readonly isExclusive: boolean;
  readonly enter: () => void;
}

/**
 * A lock that admits either a single writer or any number of readers. Waiting tasks are admitted in the order in which they
 * arrived.
 */
class ReadWriteLock {
  private readonly waiting: LockRequest[] = [];
  private readers = 0;
  private writing = false;

  /** Whether a writer holds the lock, which makes new readers wait. */
  get isWriting(): boolean {
    return this.writing;
  }

  /** Runs the task as a reader once the lock admits it. Other readers can run at the same time, but no writer can. */
  async shared<T>(work: () => T | Promise<T>): Promise<T> {
    await this.acquire(false);
    try {
      return await work();
    } finally {
      this.readers -= 1;
      this.grantNext();
    }
  }

  /** Runs the task as a writer once the lock admits it. Nothing else runs at the same time. */
  async exclusive<T>(work: () => T | Promise<T>): Promise<T> {
    await this.acquire(true);
    try {
      return await work();
    } finally {
      this.writing = false;
      this.grantNext();
    }
  }

  private acquire(isExclusive: boolean): Promise<void> {
    return new Promise((enter) => {
      this.waiting.push({ isExclusive, enter });
      this.grantNext();
    });
  }

  private grantNext(): void {
    for (let next = this.waiting[0]; next !== undefined && this.isFreeFor(next); next = this.waiting[0]) {
      this.waiting.shift();
      if (next.isExclusive) this.writing = true;
      else this.readers += 1;
      next.enter();
    }
  }

  private isFreeFor({ isExclusive }: LockRequest): boolean {
    return !this.writing && (!isExclusive || this.readers === 0);
  }
}

const MemoryLookUps = createMethodsClass<StorageLookUps, MemoryLookUpContext>(lookUps);
const MemoryReader = createReaderClass<StorageReader, MemoryReadContext>(reads, lookUps);
const MemoryTransaction = createReaderClass<StorageTransaction, MemoryWriteContext>(
  { ...reads, ...writes },
  { ...lookUps, ...sharedCooldowns },
);

export class MemoryStorage implements StorageAdapter {
  readonly hosts = null;
  readonly all: StorageLookUps;
  private readonly store = new Store();
  private readonly lock = new ReadWriteLock();
  private closing: Promise<void> | null = null;
  private state: object = {};
  private readonly accessNow: Access = (query) => this.readNow(query);

  constructor() {
    this.all = new MemoryLookUps({ store: this.store, access: this.accessNow });
  }

  reader(organizationId: string): StorageReader {
    return new MemoryReader({ store: this.store, access: this.accessNow, organizationId });
  }

  async transaction<T>(organizationId: string, work: (tx: StorageTransaction) => Step<T>): Promise<T> {
    this.refuseWhenClosed();
    return this.lock.exclusive(() => runSyncIfPossible(this.attempt(organizationId, work)));
  }

  async snapshot<T>(
    organizationId: string,
    work: (reader: StorageReader) => Step<T>,
    { signal }: SnapshotOptions = {},
  ): Promise<T> {
    this.refuseWhenClosed();
    return this.lock.shared(() => runSyncIfPossible(this.runRead(organizationId, work, signal)));
  }

  committedState(): object | null {
    return this.closing === null ? this.state : null;
  }

  /** Does nothing, because memory storage writes no files. */
  async purge(): Promise<void> {}

  close(): Promise<void> {
    this.closing ??= this.lock.exclusive(() => this.store.clear());
    return this.closing;
  }

  private *readNow<T>(query: () => T): Step<T> {
    this.refuseWhenClosed();
    // A read is synchronous, so it only needs to wait for a running write.
    return yield* awaitInStep(this.lock.isWriting ? this.lock.shared(query) : query());
  }

  private *attempt<T>(organizationId: string, work: (tx: StorageTransaction) => Step<T>): Step<T> {
    const log = new UndoLog();
    const visit = new Visit();
    try {
      const result = yield* work(
        new MemoryTransaction({ store: this.store, access: visit.access, organizationId, log }),
      );
      visit.assertSound();
      this.state = {};
      return result;
    } catch (error) {
      log.rollBack();
      throw error;
    } finally {
      visit.end();
    }
  }

  private *runRead<T>(
    organizationId: string,
    work: (reader: StorageReader) => Step<T>,
    signal: AbortSignal | undefined,
  ): Step<T> {
    signal?.throwIfAborted();
    const visit = new Visit();
    const runQuery: Access = (query) => {
      signal?.throwIfAborted();
      return visit.access(query);
    };
    try {
      return yield* work(new MemoryReader({ store: this.store, access: runQuery, organizationId }));
    } finally {
      visit.end();
    }
  }

  private refuseWhenClosed(): void {
    if (this.closing === null) return;
    throw unavailable("closed", new Error("the storage is closed"));
  }
}

/**
 * The lifetime of a transaction or snapshot. Rejects calls after its end, because they would run outside it. Also rejects calls
 * after any error other than a conflict, because a write may be half done.
 */
class Visit {
  private isEnded = false;
  private failed: { readonly reason: unknown } | null = null;

  readonly access: Access = (call) => this.within(call);

  // biome-ignore lint/correctness/useYield: rows in memory need no waiting
  private *within<T>(call: () => T): Step<T> {
    if (this.isEnded) throw new Error("the transaction or snapshot has ended");
    this.assertSound();
    try {
      return call();
    } catch (error) {
      if (!(error instanceof StorageConflict)) this.failed = { reason: error };
      throw error;
    }
  }

  /** @throws the error from an earlier failed call, even if the caller caught and ignored it. */
  assertSound(): void {
    if (this.failed !== null) throw this.failed.reason;
  }

  end(): void {
    this.isEnded = true;
  }
}
