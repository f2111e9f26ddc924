import { signals } from "../../../src/base/signals.js";
import type { MailBackend } from "../../../src/messages/mail-backend.js";
import type { MailJob } from "../../../src/messages/mail-claim.js";
import type { MailOutcome, MailResult } from "../../../src/messages/mail-outcome.js";
import { shortenReply } from "../../../src/messages/server-reply.js";
import type { MailLane } from "../../../src/storage/mail.js";
import {
  groupByLease,
  JobRunner,
  type LeasedResult,
  type ResultRecorder,
  type TargetRun,
} from "../jobs/job-runner.js";
import { type SetTimer, systemTimer } from "../jobs/timers.js";
import { CircuitBreaker } from "./circuit-breaker.js";
import { type MailRate, MailRateLimiter } from "./rate.js";
import { attemptSend, type MailAttemptSettings } from "./send-attempt.js";

/** The mail lanes, which are levels of priority, highest first. Emails in one lane never wait for emails in a later lane. */
const lanes: readonly MailLane[] = ["pass", "message"];

/** Maximum share of permits that messages may hold. However long messages take, card emails still get a permit. */
const MAX_MESSAGE_SHARE = 3 / 4;

/** Limits on how many emails can be sent, and how fast. */
interface SendLimits {
  readonly rate: MailRateLimiter;
  readonly breaker: CircuitBreaker;
  /** Maximum number of emails in flight. */
  readonly maxConcurrentSends: number;
  readonly after: SetTimer;
}

/** Permission to start `count` emails now. */
interface SendPermits {
  readonly lane: MailLane;
  readonly count: number;
  /** How many times the circuit breaker had paused when the permits were granted. */
  readonly since: number;
}

type PermitCallback = (permits: SendPermits | null) => void;

/**
 * Grants permits to send emails, within the limits set by the rate, the circuit breaker, and the maximum number of emails in
 * flight. Card emails go first. Callers with the same priority share the free permits. Workers acquire permits before they claim
 * emails, so they can send each claimed email immediately.
 */
class SendScheduler {
  private readonly waiting: Readonly<Record<MailLane, Set<PermitCallback>>> = {
    pass: new Set(),
    message: new Set(),
  };
  private readonly heldSlots: Record<MailLane, number> = { pass: 0, message: 0 };
  private cancelTimer: (() => void) | null = null;
  private isStopped = false;

  constructor(private readonly limits: SendLimits) {}

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
    return !this.isStopped && this.limits.breaker.isSamePeriod(since);
  }

  /**
   * Releases permits for emails that never started.
   * @param count the number of permits to release.
   */
  cancel({ lane, since }: SendPermits, count: number): void {
    if (count === 0) return;
    this.heldSlots[lane] -= count;
    this.limits.rate.release(count);
    this.limits.breaker.cancel(since);
    this.grant();
  }

  /**
   * Releases a finished email's permit.
   * @param isFault whether the transport failed.
   */
  release({ lane, since }: SendPermits, isFault: boolean): void {
    this.heldSlots[lane] -= 1;
    this.limits.rate.end();
    this.limits.breaker.recordResult(since, isFault);
    this.grant();
  }

  /** Stops granting permits. Waiting callers receive `null`. */
  stop(): void {
    this.isStopped = true;
    this.grant();
  }

  /** The number of emails in flight. */
  get inFlight(): number {
    return this.heldSlots.pass + this.heldSlots.message;
  }

  private grant(): void {
    this.cancelTimer?.();
    this.cancelTimer = null;
    if (this.isStopped || this.limits.breaker.isPaused) {
      this.rejectWaiting();
      return;
    }
    for (const lane of lanes) this.grantLane(lane);
    const hasWaiting = lanes.some((lane) => this.waiting[lane].size > 0);
    const { waitMs } = this.limits.rate;
    if (hasWaiting && waitMs !== null) this.cancelTimer = this.limits.after(waitMs, () => this.grant());
  }

  private grantLane(lane: MailLane): void {
    const waiting = this.waiting[lane];
    for (const grantPermits of waiting) {
      const free = this.countFreePermits(lane);
      if (free <= 0) return;
      // Waiting callers share the free permits.
      const count = Math.ceil(free / waiting.size);
      waiting.delete(grantPermits);
      this.heldSlots[lane] += count;
      this.limits.rate.acquire(count);
      grantPermits({ lane, count, since: this.limits.breaker.recordStart() });
    }
  }

  private countFreePermits(lane: MailLane): number {
    const { rate, breaker, maxConcurrentSends } = this.limits;
    const free = Math.min(rate.capacity, breaker.capacity, maxConcurrentSends - this.inFlight);
    if (lane === "pass") return free;
    return Math.min(
      free,
      Math.max(1, Math.floor(maxConcurrentSends * MAX_MESSAGE_SHARE)) - this.heldSlots.message,
    );
  }

  private rejectWaiting(): void {
    for (const lane of lanes) {
      for (const grantPermits of this.waiting[lane]) grantPermits(null);
      this.waiting[lane].clear();
    }
  }
}

/** Maximum age of a claim when one of its emails starts, in milliseconds, so that the attempt ends before the claim does. */
const MAX_CLAIM_AGE_MS = 5_000;

/** The methods of the mail backend that a worker uses. */
export type MailQueue = Pick<
  MailBackend,
  "clock" | "queuesWithDueJobs" | "claim" | "recordResults" | "onWork"
>;

export interface MailWorkerOptions extends MailAttemptSettings {
  readonly rate: MailRate;
  /** Maximum number of emails in flight. */
  readonly maxConcurrentSends: number;
  /** Interval between polls, in milliseconds. Polling picks up due retries and emails queued by other processes. */
  readonly pollMs: number;
  /** Called with the transport's most recent fault when sending is paused because the transport is failing. */
  readonly onWait: (fault: TransportFault) => void;
  /** A monotonic clock, in milliseconds. Default: `performance.now()`. */
  readonly now?: () => number;
  readonly after?: SetTimer;
}

export type TransportFault = Extract<MailResult, { kind: "transport" }>;

/** The state of this process's email sending, for example for a health check. */
export interface MailState {
  /** Whether sending is paused because the transport is failing. */
  readonly isWaiting: boolean;
  /** Number of emails in flight. */
  readonly underWay: number;
}

/** A lane of an organization's emails. */
interface OpenLane {
  readonly organizationId: string;
  readonly name: MailLane;
  readonly run: TargetRun;
  readonly recorder: ResultRecorder<LeasedResult<MailOutcome>>;
}

/** Sends queued emails for all organizations until it is closed. */
export class MailWorker {
  private readonly runner: JobRunner<string>;
  private readonly scheduler: SendScheduler;
  private readonly breaker: CircuitBreaker;
  private readonly now: () => number;
  private lastFault: TransportFault = { kind: "transport", code: null, answer: null };

  constructor(
    private readonly queue: MailQueue,
    private readonly options: MailWorkerOptions,
  ) {
    const {
      now = () => performance.now(),
      after = systemTimer,
      rate,
      maxConcurrentSends,
      pollMs,
      onError,
      onWait,
    } = options;
    this.now = now;
    this.breaker = new CircuitBreaker(now, (isWaiting) => {
      signals.mailWaits.send(isWaiting);
      if (isWaiting) onWait(this.lastFault);
    });
    const { breaker } = this;
    this.scheduler = new SendScheduler({
      rate: new MailRateLimiter(rate, now),
      breaker,
      maxConcurrentSends,
      after,
    });
    this.runner = new JobRunner<string>(
      {
        // While the transport is paused, there is no point in polling the storage.
        findWithWork: async (limit) => (breaker.isPaused ? [] : queue.queuesWithDueJobs(limit)),
        getKey: (organizationId) => organizationId,
        open: (organizationId, run) => this.open(organizationId, run),
        onWork: (listener) => queue.onWork(listener),
        onError,
      },
      { pollMs, after },
    );
  }

  get state(): MailState {
    return { isWaiting: this.breaker.isWaiting, underWay: this.scheduler.inFlight };
  }

  start(): void {
    this.runner.start();
  }

  /**
   * Sends all emails that are due.
   * @returns `false` if the storage failed, or `true` otherwise.
   */
  runOnce(): Promise<boolean> {
    return this.runner.runOnce();
  }

  /** Stops sending new emails. Resolves when the emails in flight have finished and their results are recorded. */
  async close(): Promise<void> {
    const closed = this.runner.close();
    this.scheduler.stop();
    await closed;
    if (this.breaker.isWaiting) signals.mailWaits.send(false);
  }

  private open(organizationId: string, run: TargetRun): () => void {
    const { queue } = this;
    const mailLanes = lanes.map((name) => {
      // Results are recorded without delay, so that few emails are sent twice if the process is killed.
      const recorder = run.createRecorder(async (results: readonly LeasedResult<MailOutcome>[]) => {
        for (const [lease, outcomes] of groupByLease(results))
          await queue.recordResults(organizationId, name, lease, outcomes);
        return true;
      });
      const lane = { organizationId, name, run, recorder };
      return run.createLane(() => this.sendNext(lane));
    });
    return () => {
      for (const lane of mailLanes) lane.wake();
    };
  }

  /**
   * Claims and starts the lane's next emails.
   * @returns whether more emails may be due.
   */
  private async sendNext(lane: OpenLane): Promise<boolean> {
    const { queue, scheduler: sendScheduler, now } = this;
    const permits = await sendScheduler.acquire(lane.name);
    if (permits === null) return false;
    const claimedAt = now();
    let jobs: readonly MailJob[] = [];
    try {
      jobs = await queue.claim(lane.organizationId, lane.name, permits.count);
    } finally {
      sendScheduler.cancel(permits, permits.count - jobs.length);
    }
    const isFresh = now() - claimedAt <= MAX_CLAIM_AGE_MS;
    for (const job of jobs) {
      if (isFresh && sendScheduler.mayBegin(permits)) lane.run.track(this.send(lane, job, permits));
      else {
        sendScheduler.cancel(permits, 1);
        recordResult(lane, job, { result: { kind: "unsent" }, at: queue.clock(), durationMs: 0 });
      }
    }
    return jobs.length === permits.count;
  }

  private async send(lane: OpenLane, job: MailJob, permits: SendPermits): Promise<void> {
    const { options, queue, scheduler: sendScheduler, now } = this;
    const start = now();
    const at = queue.clock();
    const result = await attemptSend(job, options, at);
    const { kind } = result;
    if (kind === "transport") {
      // The recipient's address must not leave the storage.
      this.lastFault = { ...result, answer: result.answer && shortenReply(result.answer, job.to) };
      sendScheduler.release(permits, true);
    }
    recordResult(lane, job, { result, at, durationMs: Math.round(now() - start) });
    if (kind !== "unsent") {
      const { createdAt } = job.delivery;
      signals.mailAttempt.send({ result: kind, createdAt, endedAt: queue.clock() });
    }
    if (kind === "transport") return;
    // The permit is held until the email's result is stored, so that a killed process loses few results, however slow the storage
    // is.
    await lane.recorder.whenIdle();
    sendScheduler.release(permits, false);
  }
}

function recordResult(
  { recorder }: OpenLane,
  { lease, delivery, to }: MailJob,
  outcome: Pick<MailOutcome, "result" | "at" | "durationMs">,
): void {
  recorder.add({ lease, outcome: { deliveryId: delivery.id, to, ...outcome } });
}
