import type { MailLane } from "../../src/storage/mail.js";
import type { SetTimer } from "../jobs/timers.js";
import type { CircuitBreaker } from "./circuit-breaker.js";
import type { MailRateLimiter } from "./rate.js";

/** Mails of a lane wait for none of a later lane. */
export const lanes: readonly MailLane[] = ["pass", "message"];

/** The part of the places that messages may have: however long they take, there is one for a pass mail. */
const SHARE_OF_MESSAGES = 3 / 4;

/** The bounds of how many mails begin. */
export interface SendLimits {
  readonly rate: MailRateLimiter;
  readonly breaker: CircuitBreaker;
  /** The most mails that are under way. */
  readonly atOnce: number;
  readonly after: SetTimer;
}

/** Permits for mails that may begin now. */
export interface SendPermits {
  readonly lane: MailLane;
  readonly count: number;
  /** The pauses of the breaker when they were given. */
  readonly since: number;
}

type Waiting = (places: SendPermits | null) => void;

/**
 * Grants send permits within the rate, the circuit breaker and the number of mails in flight. Pass mails go first; lanes that wait
 * take turns. So a mail is claimed only when it can be sent immediately.
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

  /** Waits for places. @returns `null` if nothing is to be sent now: mails wait for the transport, or for the next process. */
  acquire(lane: MailLane): Promise<SendPermits | null> {
    return new Promise((resolve) => {
      this.waiting[lane].add(resolve);
      this.grant();
    });
  }

  /** Returns whether a mail for which a place was given may still begin. */
  mayBegin({ since }: SendPermits): boolean {
    return !this.isStopped && this.bounds.breaker.isSamePeriod(since);
  }

  /** Gives places back for which no mail has begun. */
  cancel({ lane, since }: SendPermits, count: number): void {
    if (count === 0) return;
    this.held[lane] -= count;
    this.bounds.rate.release(count);
    this.bounds.breaker.cancel(since);
    this.grant();
  }

  /** Gives back the place of a mail that has ended. @param isFault says that it failed for a fault of the transport. */
  release({ lane, since }: SendPermits, isFault: boolean): void {
    this.held[lane] -= 1;
    this.bounds.rate.end();
    this.bounds.breaker.leave(since, isFault);
    this.grant();
  }

  /** Grants no further permits. */
  stop(): void {
    this.isStopped = true;
    this.grant();
  }

  /** The number of mails under way. */
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
      // Those who wait share the free places.
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
