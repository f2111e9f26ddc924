import { FairQueue } from "./fair-queue.js";
import { setActiveTimeout } from "./timeout.js";
import { UsageCounter } from "./usage-counter.js";

export interface Abortable {
  /** A signal that, when aborted, cancels the work if it hasn't started yet. */
  readonly signal?: AbortSignal | undefined;
}

/** Limits on how many tasks can be queued, and for how long. */
export interface QueueLimits {
  /** Maximum number of tasks with the same key that can wait. */
  readonly length: number;
  /** Maximum time in the queue, in milliseconds. Time during which the process is suspended doesn't count. */
  readonly patience: number;
  /**
   * Creates the error for a rejected task. The reason is `full` if the queue is full, or `late` if the task has waited too long.
   */
  createError(reason: "full" | "late"): Error;
}

/** A task that waits for a slot. */
interface Waiter {
  readonly key: string;
  grant(): void;
}

/**
 * Runs a limited number of tasks at the same time. Each task has a key, such as its organization. Keys take turns, and tasks with
 * the same key run in order of arrival. A key can hold at most a given share of the slots that other keys leave free, so even if
 * one key is busy, a slot remains for the next key.
 */
export class FairSemaphore {
  private readonly heldSlots = new UsageCounter();
  private readonly waiters = new FairQueue<Waiter>();

  /**
   * @param freeSlots the number of slots.
   * @param maxShare the largest share of the slots that one key can hold, greater than 0 and at most 1. Slots held by other keys
   *   aren't counted. A key can always hold one slot.
   * @param line the queue's limits, or `null` if the caller limits the number of queued tasks itself.
   */
  constructor(
    private freeSlots: number,
    private readonly maxShare: number,
    private readonly line: QueueLimits | null = null,
  ) {}

  /**
   * Runs work in a slot, and releases the slot afterward.
   * @throws whatever `work` throws, the signal's abort reason, or the error from the queue limits' `createError`.
   */
  async run<T>(key: string, work: () => Promise<T>, options: Abortable = {}): Promise<T> {
    const wait = this.takeOrWaitForSlot(key, options);
    if (wait !== null) await wait;
    try {
      return await work();
    } finally {
      this.release(key);
    }
  }

  /**
   * Acquires a slot, waiting until one is free if necessary.
   * @returns a function that releases the slot. Call it exactly once.
   * @throws the signal's abort reason, or the error from the queue limits' `createError`.
   */
  async acquire(key: string, options: Abortable = {}): Promise<() => void> {
    const wait = this.takeOrWaitForSlot(key, options);
    if (wait !== null) await wait;
    return () => this.release(key);
  }

  /** Takes a slot and returns null, or returns a promise that resolves when a slot has been taken. */
  private takeOrWaitForSlot(key: string, { signal }: Abortable): Promise<void> | null {
    signal?.throwIfAborted();
    if (this.waiters.count(key) > 0 || !this.mayHoldMore(key)) return this.waitForSlot(key, signal);
    this.takeSlot(key);
    return null;
  }

  get queued(): number {
    return this.waiters.size;
  }

  private waitForSlot(key: string, signal: AbortSignal | undefined): Promise<void> {
    const { line } = this;
    if (line !== null && this.waiters.count(key) >= line.length) throw line.createError("full");
    return new Promise((resolve, reject) => {
      const abandonWait = (reason: unknown) => {
        stopWaiting();
        this.waiters.remove(key, waiter);
        reject(reason);
      };
      const abort = () => abandonWait(signal?.reason);
      const cancel =
        line === null ? null : setActiveTimeout(line.patience, () => abandonWait(line.createError("late")));
      const stopWaiting = () => {
        cancel?.();
        signal?.removeEventListener("abort", abort);
      };
      const waiter: Waiter = {
        key,
        grant() {
          stopWaiting();
          resolve();
        },
      };
      signal?.addEventListener("abort", abort, { once: true });
      this.waiters.add(key, waiter);
    });
  }

  private mayHoldMore(key: string): boolean {
    if (this.freeSlots === 0) return false;
    const heldCount = this.heldSlots.get(key);
    return heldCount < Math.max(1, Math.floor((heldCount + this.freeSlots) * this.maxShare));
  }

  private takeSlot(key: string): void {
    this.freeSlots -= 1;
    this.heldSlots.add(key);
  }

  private release(key: string): void {
    this.freeSlots += 1;
    this.heldSlots.add(key, -1);
    this.grantNext();
  }

  private grantNext(): void {
    while (this.freeSlots > 0) {
      const next = this.waiters.take(({ key }) => this.mayHoldMore(key));
      if (next === undefined) return;
      this.takeSlot(next.key);
      next.grant();
    }
  }
}

/** Runs a limited number of tasks at the same time. Any further tasks wait and then start in order of arrival. */
export class Semaphore {
  private readonly waiters: (() => void)[] = [];

  constructor(private freePermits: number) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.freePermits > 0) this.freePermits -= 1;
    else await new Promise<void>((resolve) => this.waiters.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.waiters.shift();
      if (next === undefined) this.freePermits += 1;
      else next();
    }
  }
}
