import { signals } from "../../../src/base/signals.js";
import type { MailResult } from "../../../src/messages/mail-outcome.js";
import { type SetTimer, systemTimer } from "../jobs/timers.js";
import { Worker } from "../jobs/worker.js";
import { CircuitBreaker } from "./circuit-breaker.js";
import { type MailQueue, OrganizationMailRun } from "./organization-mail-run.js";
import { type MailRate, MailRateLimiter } from "./rate.js";
import type { MailAttemptSettings } from "./send-attempt.js";
import { SendScheduler } from "./send-permits.js";

/** Minimum time between two polls, in milliseconds. */
const MIN_PAUSE_MS = 50;

export interface MailWorkerOptions extends MailAttemptSettings {
  readonly rate: MailRate;
  /** Maximum number of emails in flight. */
  readonly atOnce: number;
  /** Interval between polls, in milliseconds. Polling finds due retries and emails queued by other processes. */
  readonly pollMs: number;
  /** Called when sending is paused because the transport fails. Receives the most recent fault of the transport. */
  readonly onWait: (fault: TransportFault) => void;
  /** Returns the current time of a monotonic clock, in milliseconds. Default: `performance.now()`. */
  readonly now?: () => number;
  readonly after?: SetTimer;
}

export type TransportFault = Extract<MailResult, { kind: "transport" }>;

/** The state of email sending in this process, for example for a health check. */
export interface MailState {
  /** Whether sending is paused because the transport is failing. */
  readonly isWaiting: boolean;
  /** Number of emails in flight. */
  readonly underWay: number;
}

/** Sends queued emails for all organizations until it is closed. */
export class MailWorker {
  private readonly worker: Worker<string>;
  private readonly turns: SendScheduler;
  private readonly breaker: CircuitBreaker;
  private lastFault: TransportFault = { kind: "transport", code: null, answer: null };

  constructor(queue: MailQueue, options: MailWorkerOptions) {
    const {
      now = () => performance.now(),
      after = systemTimer,
      rate,
      atOnce,
      pollMs,
      onError,
      onWait,
    } = options;
    this.breaker = new CircuitBreaker(now, (isWaiting) => {
      signals.mailWaits.send(isWaiting);
      if (isWaiting) onWait(this.lastFault);
    });
    const { breaker } = this;
    this.turns = new SendScheduler({ rate: new MailRateLimiter(rate, now), breaker, atOnce, after });
    const onResult = (result: MailResult) => {
      if (result.kind === "transport") this.lastFault = result;
    };
    const settings = { ...options, turns: this.turns, now, after, onResult };
    this.worker = new Worker<string>(
      {
        // While the transport is paused, there is no point in polling the storage.
        findWithWork: async (limit) => (this.breaker.isPaused ? [] : queue.queuesWithDueJobs(limit)),
        keyOf: (organizationId) => organizationId,
        open: (...place) => new OrganizationMailRun(queue, settings, ...place),
        onWork: (listener) => queue.onWork(listener),
        onError,
      },
      { pollMs, minPauseMs: MIN_PAUSE_MS, after },
    );
  }

  get state(): MailState {
    return { isWaiting: this.breaker.isWaiting, underWay: this.turns.underWay };
  }

  start(): void {
    this.worker.start();
  }

  /**
   * Sends all emails that are due.
   * @returns `false` if the storage failed, or `true` otherwise.
   */
  runOnce(): Promise<boolean> {
    return this.worker.runOnce();
  }

  /** Stops sending new emails. Resolves when the emails in flight have finished and their results are recorded. */
  async close(): Promise<void> {
    const closed = this.worker.close();
    this.turns.stop();
    await closed;
    if (this.breaker.isWaiting) signals.mailWaits.send(false);
  }
}
