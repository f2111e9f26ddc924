import { failure } from "../../src/errors.js";
import {
  type StorageAdapter,
  StorageConflict,
  type StorageReader,
  type StorageTransaction,
} from "../../src/storage/storage-adapter.js";
import { type Gate, MemoryReader } from "./reader.js";
import { Store } from "./store/store.js";
import { UndoLog } from "./store/undo-log.js";
import { MemoryTransaction } from "./transaction.js";
import { Turnstile } from "./turnstile.js";

export class MemoryStorage extends MemoryReader implements StorageAdapter {
  private readonly turnstile: Turnstile;
  private closing: Promise<void> | null = null;
  private state: object = {};

  constructor() {
    const turnstile = new Turnstile();
    super(new Store(), async (look) => {
      this.refuseWhenClosed();
      // A look takes no time, so it needs no turn while nobody writes.
      return turnstile.closed ? turnstile.together(look) : look();
    });
    this.turnstile = turnstile;
  }

  async transaction<T>(work: (tx: StorageTransaction) => Promise<T>): Promise<T> {
    this.refuseWhenClosed();
    return this.turnstile.alone(async () => {
      const log = new UndoLog();
      const visit = new Visit();
      try {
        const result = await work(new MemoryTransaction(this.store, visit.gate, log));
        visit.assertSound();
        this.state = {};
        return result;
      } catch (error) {
        log.rollBack();
        throw error;
      } finally {
        visit.end();
      }
    });
  }

  async snapshot<T>(work: (reader: StorageReader) => Promise<T>): Promise<T> {
    this.refuseWhenClosed();
    return this.turnstile.together(async () => {
      const visit = new Visit();
      try {
        return await work(new MemoryReader(this.store, visit.gate));
      } finally {
        visit.end();
      }
    });
  }

  committedState(): object | null {
    return this.closing === null ? this.state : null;
  }

  joining(): never {
    throw new TypeError("storage in memory has no transactions of hosts to join");
  }

  close(): Promise<void> {
    this.closing ??= this.turnstile.alone(() => this.store.clear());
    return this.closing;
  }

  private refuseWhenClosed(): void {
    if (this.closing === null) return;
    throw failure("storage_unavailable", null, { cause: new Error("the storage is closed") });
  }
}

/**
 * The time between begin and end of a transaction or snapshot. A call that comes later would run outside of it. After
 * an error that is no conflict none runs either, since a write may be half done then.
 */
class Visit {
  private ended = false;
  private failed: { readonly reason: unknown } | null = null;

  readonly gate: Gate = async (look) => {
    if (this.ended) throw new Error("the transaction or snapshot is over");
    this.assertSound();
    try {
      return look();
    } catch (error) {
      if (!(error instanceof StorageConflict)) this.failed = { reason: error };
      throw error;
    }
  };

  /** @throws the error of the call that failed, when one did, though nobody may have heeded it. */
  assertSound(): void {
    if (this.failed !== null) throw this.failed.reason;
  }

  end(): void {
    this.ended = true;
  }
}
