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
  async runShared<T>(work: () => T | Promise<T>): Promise<T> {
    await this.acquire(false);
    try {
      return await work();
    } finally {
      this.readers -= 1;
      this.grantNext();
    }
  }

  /** Runs the task as a writer once the lock admits it. Nothing else runs at the same time. */
  async runExclusive<T>(work: () => T | Promise<T>): Promise<T> {
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
    for (let next = this.waiting[0]; next !== undefined && this.canAdmit(next); next = this.waiting[0]) {
      this.waiting.shift();
      if (next.isExclusive) this.writing = true;
      else this.readers += 1;
      next.enter();
    }
  }

  private canAdmit({ isExclusive }: LockRequest): boolean {
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
    this.assertOpen();
    return this.lock.runExclusive(() => runSyncIfPossible(this.runTransaction(organizationId, work)));
  }

  async snapshot<T>(
    organizationId: string,
    work: (reader: StorageReader) => Step<T>,
    { signal }: SnapshotOptions = {},
  ): Promise<T> {
    this.assertOpen();
    return this.lock.runShared(() => runSyncIfPossible(this.runRead(organizationId, work, signal)));
  }

  committedState(): object | null {
    return this.closing === null ? this.state : null;
  }

  /** Does nothing, because memory storage writes no files. */
  async purge(): Promise<void> {}

  close(): Promise<void> {
    this.closing ??= this.lock.runExclusive(() => this.store.clear());
    return this.closing;
  }

  private *readNow<T>(query: () => T): Step<T> {
    this.assertOpen();
    // A read is synchronous, so it only needs to wait for a running write.
    return yield* awaitInStep(this.lock.isWriting ? this.lock.runShared(query) : query());
  }

  private *runTransaction<T>(organizationId: string, work: (tx: StorageTransaction) => Step<T>): Step<T> {
    const log = new UndoLog();
    const scope = new AccessScope();
    try {
      const result = yield* work(
        new MemoryTransaction({ store: this.store, access: scope.access, organizationId, log }),
      );
      scope.assertNotFailed();
      this.state = {};
      return result;
    } catch (error) {
      log.rollBack();
      throw error;
    } finally {
      scope.end();
    }
  }

  private *runRead<T>(
    organizationId: string,
    work: (reader: StorageReader) => Step<T>,
    signal: AbortSignal | undefined,
  ): Step<T> {
    signal?.throwIfAborted();
    const scope = new AccessScope();
    const runQuery: Access = (query) => {
      signal?.throwIfAborted();
      return scope.access(query);
    };
    try {
      return yield* work(new MemoryReader({ store: this.store, access: runQuery, organizationId }));
    } finally {
      scope.end();
    }
  }

  private assertOpen(): void {
    if (this.closing === null) return;
    throw unavailable("closed", new Error("the storage is closed"));
  }
}

/**
 * The lifetime of a transaction or snapshot. Rejects calls after its end, because they would run outside it. Also rejects calls
 * after any error other than a conflict, because a write may be half done.
 */
class AccessScope {
  private isEnded = false;
  private failure: { readonly reason: unknown } | null = null;

  readonly access: Access = (call) => this.runCall(call);

  // biome-ignore lint/correctness/useYield: rows in memory need no waiting
  private *runCall<T>(call: () => T): Step<T> {
    if (this.isEnded) throw new Error("the transaction or snapshot has ended");
    this.assertNotFailed();
    try {
      return call();
    } catch (error) {
      if (!(error instanceof StorageConflict)) this.failure = { reason: error };
      throw error;
    }
  }

  /** @throws the error from an earlier failed call, even if the caller caught and ignored it. */
  assertNotFailed(): void {
    if (this.failure !== null) throw this.failure.reason;
  }

  end(): void {
    this.isEnded = true;
  }
}
