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
import { lanes, type SendPermits, SendScheduler } from "./send-permits.js";

/** Maximum age of a claim when one of its emails starts, in milliseconds, so that the attempt ends before the claim does. */
const BEGIN_WITHIN_MS = 5_000;

/** The methods of the mail backend that a worker uses. */
export type MailQueue = Pick<
  MailBackend,
  "clock" | "queuesWithDueJobs" | "claim" | "recordResults" | "onWork"
>;

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
  private readonly turns: SendScheduler;
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
      atOnce,
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
    this.turns = new SendScheduler({ rate: new MailRateLimiter(rate, now), breaker, atOnce, after });
    this.runner = new JobRunner<string>(
      {
        // While the transport is paused, there is no point in polling the storage.
        findWithWork: async (limit) => (breaker.isPaused ? [] : queue.queuesWithDueJobs(limit)),
        keyOf: (organizationId) => organizationId,
        open: (organizationId, run) => this.open(organizationId, run),
        onWork: (listener) => queue.onWork(listener),
        onError,
      },
      { pollMs, after },
    );
  }

  get state(): MailState {
    return { isWaiting: this.breaker.isWaiting, underWay: this.turns.underWay };
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
    this.turns.stop();
    await closed;
    if (this.breaker.isWaiting) signals.mailWaits.send(false);
  }

  private open(organizationId: string, run: TargetRun): () => void {
    const { queue } = this;
    const opened = lanes.map((name) => {
      // Results are recorded without delay, so that few emails are sent twice if the process is killed.
      const recorder = run.recorder(async (results: readonly LeasedResult<MailOutcome>[]) => {
        for (const [lease, outcomes] of groupByLease(results))
          await queue.recordResults(organizationId, name, lease, outcomes);
        return true;
      });
      const lane = { organizationId, name, run, recorder };
      return run.lane(() => this.sendNext(lane));
    });
    return () => {
      for (const lane of opened) lane.wake();
    };
  }

  /**
   * Claims and starts the lane's next emails.
   * @returns whether more emails may be due.
   */
  private async sendNext(lane: OpenLane): Promise<boolean> {
    const { queue, turns, now } = this;
    const places = await turns.acquire(lane.name);
    if (places === null) return false;
    const claimedAt = now();
    let jobs: readonly MailJob[] = [];
    try {
      jobs = await queue.claim(lane.organizationId, lane.name, places.count);
    } finally {
      turns.cancel(places, places.count - jobs.length);
    }
    const isFresh = now() - claimedAt <= BEGIN_WITHIN_MS;
    for (const job of jobs) {
      if (isFresh && turns.mayBegin(places)) lane.run.track(this.send(lane, job, places));
      else {
        turns.cancel(places, 1);
        recordResult(lane, job, { kind: "unsent" }, queue.clock(), 0);
      }
    }
    return jobs.length === places.count;
  }

  private async send(lane: OpenLane, job: MailJob, places: SendPermits): Promise<void> {
    const { options, queue, turns, now } = this;
    const start = now();
    const at = queue.clock();
    const result = await attemptSend(job, options, at);
    const { kind } = result;
    if (kind === "transport") {
      // The recipient's address must not leave the storage.
      this.lastFault = { ...result, answer: result.answer && shortenReply(result.answer, job.to) };
      turns.release(places, true);
    }
    recordResult(lane, job, result, at, Math.round(now() - start));
    if (kind !== "unsent") {
      const { createdAt } = job.delivery;
      signals.mailAttempt.send({ result: kind, createdAt, endedAt: queue.clock() });
    }
    if (kind === "transport") return;
    // The permit is held until the email's result is stored, so that a killed process loses few results, however slow the storage
    // is.
    await lane.recorder.whenIdle();
    turns.release(places, false);
  }
}

function recordResult(
  { recorder }: OpenLane,
  { lease, delivery, to }: MailJob,
  result: MailResult,
  at: number,
  durationMs: number,
): void {
  recorder.add({ lease, outcome: { deliveryId: delivery.id, to, result, at, durationMs } });
}
