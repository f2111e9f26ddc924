import type { StorageAdapter } from "loyalty-kit";
import { replaceTransactions } from "./intercept-calls.js";

/** The storage of a slow process, in whose way another process can do something before a transaction begins. */
export interface Overtaken {
  readonly storage: StorageAdapter;
  /** Runs this once before the next transaction. */
  beforeNext(work: () => Promise<unknown>): void;
  /** Runs this once before the transaction that follows a failed one. */
  afterFailure(work: () => Promise<unknown>): void;
}

/** Wraps a storage, so that a test can let other processes act first. */
export function overtake(inner: StorageAdapter): Overtaken {
  let next: (() => Promise<unknown>) | null = null;
  let nextAfterFailure: (() => Promise<unknown>) | null = null;
  const storage = replaceTransactions(inner, async (work, options) => {
    const first = next;
    next = null;
    await first?.();
    try {
      return await inner.transaction(work, options);
    } catch (error) {
      next = nextAfterFailure;
      nextAfterFailure = null;
      throw error;
    }
  });
  return {
    storage,
    beforeNext: (work) => {
      next = work;
    },
    afterFailure: (work) => {
      nextAfterFailure = work;
    },
  };
}
