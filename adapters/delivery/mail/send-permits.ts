import type { MailLane } from "../../../src/storage/mail.js";
import type { SetTimer } from "../jobs/timers.js";
import type { CircuitBreaker } from "./circuit-breaker.js";
import type { MailRateLimiter } from "./rate.js";

/** The mail lanes, which are levels of priority, highest first. Emails in one lane never wait for emails in a later lane. */
export const lanes: readonly MailLane[] = ["pass", "message"];

/** Maximum share of permits that messages may hold. However long messages take, card emails still get a permit. */
const SHARE_OF_MESSAGES = 3 / 4;

/** Limits on how many emails can be sent, and how fast. */
export interface SendLimits {
  readonly rate: MailRateLimiter;
  readonly breaker: CircuitBreaker;
  /** Maximum number of emails in flight. */
  readonly atOnce: number;
  readonly after: SetTimer;
}

/** Permission to start `count` emails now. */
export interface SendPermits {
  readonly lane: MailLane;
  readonly count: number;
  /** The number of pauses that the circuit breaker had made when the permits were granted. */
  readonly since: number;
}

type Waiting = (places: SendPermits | null) => void;

/**
 * Grants permits to send emails, within the limits set by the rate, the circuit breaker, and the maximum number of emails in
 * flight. Card emails go first. Callers with the same priority share the free permits. Workers acquire permits before they claim
 * emails, so they can send each claimed email immediately.
 */
export class SendScheduler {
  private readonly waiting: Readonly<Record<MailLane, Set<Waiting>>> = {
    pass: new Set(),
    message: new Set(),
  };
  private readonly held: Record<MailLane, number> = { pass: 0, message: 0 };
  private callOff: (() => void) | null = null;
  private isStopped = false;

  constructor(private readonly bounds: SendLimits) {}

  /**
   * Waits until emails can be sent.
   * @returns permits, or `null` if the transport is paused or the scheduler has stopped.
   */
  acquire(lane: MailLane): Promise<SendPermits | null> {
    return new Promise((resolve) => {
      this.waiting[lane].add(resolve);
      this.grant();
    });
  }

  /**
   * Returns whether an email that holds one of these permits can still start. It can't if sending has been paused or stopped since.
   */
  mayBegin({ since }: SendPermits): boolean {
    return !this.isStopped && this.bounds.breaker.isSamePeriod(since);
  }

  /**
   * Releases permits for emails that never started.
   * @param count the number of permits to release.
   */
  cancel({ lane, since }: SendPermits, count: number): void {
    if (count === 0) return;
    this.held[lane] -= count;
    this.bounds.rate.release(count);
    this.bounds.breaker.cancel(since);
    this.grant();
  }

  /**
   * Releases a finished email's permit.
   * @param isFault whether the transport failed.
   */
  release({ lane, since }: SendPermits, isFault: boolean): void {
    this.held[lane] -= 1;
    this.bounds.rate.end();
    this.bounds.breaker.leave(since, isFault);
    this.grant();
  }

  /** Stops granting permits. Waiting callers receive `null`. */
  stop(): void {
    this.isStopped = true;
    this.grant();
  }

  /** The number of emails in flight. */
  get underWay(): number {
    return this.held.pass + this.held.message;
  }

  private grant(): void {
    this.callOff?.();
    this.callOff = null;
    if (this.isStopped || this.bounds.breaker.isPaused) {
      this.rejectWaiting();
      return;
    }
    for (const lane of lanes) this.giveTo(lane);
    const isAnybodyWaiting = lanes.some((lane) => this.waiting[lane].size > 0);
    const { wait } = this.bounds.rate;
    if (isAnybodyWaiting && wait !== null) this.callOff = this.bounds.after(wait, () => this.grant());
  }

  private giveTo(lane: MailLane): void {
    const waiting = this.waiting[lane];
    for (const go of waiting) {
      const free = this.freeFor(lane);
      if (free <= 0) return;
      // Waiting callers share the free permits.
      const count = Math.ceil(free / waiting.size);
      waiting.delete(go);
      this.held[lane] += count;
      this.bounds.rate.acquire(count);
      go({ lane, count, since: this.bounds.breaker.enter() });
    }
  }

  private freeFor(lane: MailLane): number {
    const { rate, breaker, atOnce } = this.bounds;
    const free = Math.min(rate.free, breaker.room, atOnce - this.underWay);
    if (lane === "pass") return free;
    return Math.min(free, Math.max(1, Math.floor(atOnce * SHARE_OF_MESSAGES)) - this.held.message);
  }

  private rejectWaiting(): void {
    for (const lane of lanes) {
      for (const go of this.waiting[lane]) go(null);
      this.waiting[lane].clear();
    }
  }
}
