import { afterRunning } from "./after-running.js";

export interface Abortable {
  /** Aborting this signal cancels the work if the work hasn't started yet. */
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

interface Waiting {
  go(): void;
}

/**
 * Runs a limited number of tasks at the same time. Each task has a key, such as its organization. Keys take turns, and tasks with
 * the same key run in order of arrival. A key can hold at most a given share of the slots that other keys leave free, so even if
 * one key is busy, a slot remains for the next key.
 */
export class FairSemaphore {
  private readonly held = new Map<string, number>();
  /** The queued tasks by key, starting with the key whose turn is next. */
  private readonly waiting = new Map<string, Set<Waiting>>();

  /**
   * @param free the number of slots.
   * @param share the maximum fraction of the slots left free by other keys that one key can hold, above 0 and up to 1. A key can
   *   always hold one slot.
   * @param line the queue's limits, or `null` if the caller limits the number of queued tasks itself.
   */
  constructor(
    private free: number,
    private readonly share: number,
    private readonly line: QueueLimits | null = null,
  ) {}

  /**
   * Runs work in a slot, and releases the slot afterward.
   * @throws whatever `work` throws, the signal's abort reason, or the error from the queue limits' `createError`.
   */
  async run<T>(key: string, work: () => Promise<T>, options: Abortable = {}): Promise<T> {
    const wait = this.slotFor(key, options);
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
    const wait = this.slotFor(key, options);
    if (wait !== null) await wait;
    return () => this.release(key);
  }

  /** Takes a slot and returns null, or returns a promise that resolves when a slot has been taken. */
  private slotFor(key: string, { signal }: Abortable): Promise<void> | null {
    signal?.throwIfAborted();
    if (this.waiting.has(key) || !this.mayHoldMore(key)) return this.waitForSlot(key, signal);
    this.take(key);
    return null;
  }

  get queued(): number {
    let count = 0;
    for (const others of this.waiting.values()) count += others.size;
    return count;
  }

  private waitForSlot(key: string, signal: AbortSignal | undefined): Promise<void> {
    const { line } = this;
    const others = this.waiting.get(key) ?? new Set();
    if (line !== null && others.size >= line.length) throw line.createError("full");
    return new Promise((resolve, reject) => {
      const leave = (reason: unknown) => {
        stopWaiting();
        others.delete(waiting);
        if (others.size === 0) this.waiting.delete(key);
        reject(reason);
      };
      const abort = () => leave(signal?.reason);
      const cancel =
        line === null ? null : afterRunning(line.patience, () => leave(line.createError("late")));
      const stopWaiting = () => {
        cancel?.();
        signal?.removeEventListener("abort", abort);
      };
      const waiting: Waiting = {
        go() {
          stopWaiting();
          resolve();
        },
      };
      signal?.addEventListener("abort", abort, { once: true });
      others.add(waiting);
      this.waiting.set(key, others);
    });
  }

  private mayHoldMore(key: string): boolean {
    if (this.free === 0) return false;
    const held = this.held.get(key) ?? 0;
    return held < Math.max(1, Math.floor((held + this.free) * this.share));
  }

  private take(key: string): void {
    this.free -= 1;
    this.held.set(key, (this.held.get(key) ?? 0) + 1);
  }

  private release(key: string): void {
    this.free += 1;
    const held = (this.held.get(key) ?? 1) - 1;
    if (held === 0) this.held.delete(key);
    else this.held.set(key, held);
    this.grantNext();
  }

  private grantNext(): void {
    for (const [key, others] of this.waiting) {
      if (this.free === 0) return;
      if (!this.mayHoldMore(key)) continue;
      const [next] = others;
      if (next === undefined) continue;
      others.delete(next);
      this.waiting.delete(key);
      // Moves the key to the end of the queue.
      if (others.size > 0) this.waiting.set(key, others);
      this.take(key);
      next.go();
    }
  }
}

/** Runs a limited number of tasks at the same time. Further tasks wait and start in order of arrival. */
export class Semaphore {
  private readonly waiting: (() => void)[] = [];

  constructor(private free: number) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((go) => this.waiting.push(go));
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.free += 1;
      else next();
    }
  }
}
