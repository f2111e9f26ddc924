import { afterRunning } from "./after-running.js";

export interface Abortable {
  /** The work is not begun when it is aborted before. */
  readonly signal?: AbortSignal | undefined;
}

/** Bounds how many works may wait, and how long. */
export interface QueueLimits {
  /** The most tasks of one key that may wait. */
  readonly length: number;
  /** The longest wait, in milliseconds for which the process runs. */
  readonly patience: number;
  /** Creates the error for a task: `full` if it is one too many, `late` if it has waited too long. */
  createError(reason: "full" | "late"): Error;
}

interface Waiting {
  go(): void;
}

/**
 * Runs a limited number of tasks at the same time. Tasks belong to keys, such as organizations. Keys take turns; tasks of one key
 * run in the order of their arrival. A key holds at most its share of the slots that others leave, so a free slot remains for the
 * next key, however much one asks for.
 */
export class FairSemaphore {
  private readonly held = new Map<string, number>();
  /** By key; the key whose turn is next comes first. */
  private readonly waiting = new Map<string, Set<Waiting>>();

  /**
   * @param share fraction (above 0, up to 1) of the slots left by others that a key may hold; a key may always hold one.
   * @param line limits of the queue; `null` if the caller bounds it.
   */
  constructor(
    private free: number,
    private readonly share: number,
    private readonly line: QueueLimits | null = null,
  ) {}

  /** @throws what `work` throws; the signal's reason; the line's refusal. */
  async run<T>(key: string, work: () => Promise<T>, options: Abortable = {}): Promise<T> {
    const wait = this.slotFor(key, options);
    if (wait !== null) await wait;
    try {
      return await work();
    } finally {
      this.release(key);
    }
  }

  /** Takes a slot. @returns what gives it back, to be called once. @throws the signal's reason; the line's refusal. */
  async acquire(key: string, options: Abortable = {}): Promise<() => void> {
    const wait = this.slotFor(key, options);
    if (wait !== null) await wait;
    return () => this.release(key);
  }

  /** Takes a slot and returns null, or returns a promise of a slot. */
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
      // Behind the other keys.
      if (others.size > 0) this.waiting.set(key, others);
      this.take(key);
      next.go();
    }
  }
}
