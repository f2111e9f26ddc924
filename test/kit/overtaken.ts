import type { StorageAdapter } from "loyalty-kit";
import { replaceTransactions } from "./intercepted.js";

/** The storage of a slow process, whose transactions begin once another process has done something. */
export interface Overtaken {
  readonly storage: StorageAdapter;
  /** Has this done once, before the next transaction. */
  beforeNext(work: () => Promise<unknown>): void;
  /** Has this done once, before the transaction that follows a failed one. */
  afterFailure(work: () => Promise<unknown>): void;
}

/** The same storage, in which other processes come first when a test says so. */
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
