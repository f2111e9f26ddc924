import { signals } from "../../../src/base/signals.js";
import type { MailBackend } from "../../../src/messages/mail-backend.js";
import type { MailJob } from "../../../src/messages/mail-claim.js";
import type { MailOutcome, MailResult } from "../../../src/messages/mail-outcome.js";
import { shortenReply } from "../../../src/messages/server-reply.js";
import type { MailLane } from "../../../src/storage/mail.js";
import { ResultRecorder } from "../jobs/result-recorder.js";
import type { SetTimer } from "../jobs/timers.js";
import type { TargetRun, WorkerState } from "../jobs/worker.js";
import { attemptSend, type MailAttemptSettings } from "./send-attempt.js";
import { lanes, type SendPermits, type SendScheduler } from "./send-permits.js";

/** Maximum age of a claim when one of its emails starts, in milliseconds, so that the attempt ends before the claim does. */
const BEGIN_WITHIN_MS = 5_000;

/** The methods of the mail backend that a worker uses. */
export type MailQueue = Pick<
  MailBackend,
  "clock" | "queuesWithDueJobs" | "claim" | "recordResults" | "onWork"
>;

export interface MailRunSettings extends MailAttemptSettings {
  readonly turns: SendScheduler;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
  readonly after: SetTimer;
  /** Called with the result of each email that was handed to the transport. */
  onResult(result: MailResult): void;
}

interface Attempted {
  readonly lane: MailLane;
  readonly lease: string;
  readonly outcome: MailOutcome;
}

/** Sends an organization's emails until none are due. */
export class OrganizationMailRun implements TargetRun {
  private readonly woken = new Set<MailLane>();
  private readonly working = new Map<MailLane, Promise<void>>();
  private readonly sending = new Set<Promise<void>>();
  private readonly settlement: ResultRecorder<Attempted>;

  constructor(
    private readonly queue: MailQueue,
    private readonly settings: MailRunSettings,
    private readonly organizationId: string,
    private readonly worker: WorkerState,
    private readonly onIdle: () => void,
  ) {
    const record = (attempted: readonly Attempted[]) => this.record(attempted);
    // Results are recorded without delay, so that few emails are sent twice if the process is killed.
    this.settlement = new ResultRecorder(record, settings.after, worker, 0);
  }

  wake(): void {
    for (const lane of lanes) {
      this.woken.add(lane);
      if (!this.working.has(lane)) this.working.set(lane, this.work(lane));
    }
  }

  async whenIdle(): Promise<void> {
    while (!this.isIdle) {
      await Promise.all([...this.working.values(), ...this.sending, this.settlement.whenIdle()]);
    }
  }

  private get isIdle(): boolean {
    return this.working.size === 0 && this.sending.size === 0 && this.settlement.isSettled;
  }

  private endIfIdle(): void {
    if (this.isIdle) this.onIdle();
  }

  private async work(lane: MailLane): Promise<void> {
    try {
      while (this.woken.delete(lane)) while (await this.sendNext(lane));
    } catch (error) {
      this.woken.delete(lane);
      this.worker.failed(error);
    }
    this.working.delete(lane);
    this.endIfIdle();
  }

  /**
   * Claims and starts the lane's next emails.
   * @returns whether more emails may be due.
   */
  private async sendNext(lane: MailLane): Promise<boolean> {
    const { queue, settings, organizationId } = this;
    const { turns, now } = settings;
    const places = await turns.acquire(lane);
    if (places === null) return false;
    const claimedAt = now();
    let jobs: readonly MailJob[] = [];
    try {
      jobs = await queue.claim(organizationId, lane, places.count);
    } finally {
      turns.cancel(places, places.count - jobs.length);
    }
    const isFresh = now() - claimedAt <= BEGIN_WITHIN_MS;
    for (const job of jobs) this.begin(job, places, isFresh);
    return jobs.length === places.count;
  }

  private begin(job: MailJob, places: SendPermits, isFresh: boolean): void {
    const { turns } = this.settings;
    if (!isFresh || !turns.mayBegin(places)) {
      turns.cancel(places, 1);
      this.recordResult(job, { kind: "unsent" }, this.queue.clock(), 0);
      return;
    }
    const sending = this.send(job, places).finally(() => {
      this.sending.delete(sending);
      this.endIfIdle();
    });
    this.sending.add(sending);
  }

  private async send(job: MailJob, places: SendPermits): Promise<void> {
    const { settings, queue } = this;
    const start = settings.now();
    const at = queue.clock();
    const result = await attemptSend(job, settings, at);
    const { kind } = result;
    settings.onResult(withoutAddress(result, job.to));
    if (kind === "transport") settings.turns.release(places, true);
    this.recordResult(job, result, at, Math.round(settings.now() - start));
    if (kind !== "unsent") {
      const { createdAt } = job.delivery;
      signals.mailAttempt.send({ result: kind, createdAt, endedAt: queue.clock() });
    }
    if (kind === "transport") return;
    // The permit is held until the email's result is stored, so that a killed process loses few results, however slow the storage
    // is.
    await this.settlement.whenIdle();
    settings.turns.release(places, false);
  }

  private recordResult(
    { lane, lease, delivery, to }: MailJob,
    result: MailResult,
    at: number,
    durationMs: number,
  ): void {
    this.settlement.add({ lane, lease, outcome: { deliveryId: delivery.id, to, result, at, durationMs } });
    void this.settlement.whenIdle().then(() => this.endIfIdle());
  }

  /** Records the results of each claim in its own transaction. */
  private async record(attempted: readonly Attempted[]): Promise<boolean> {
    for (const lease of new Set(attempted.map((each) => each.lease))) {
      const ofClaim = attempted.filter((each) => each.lease === lease);
      const [first] = ofClaim;
      const outcomes = ofClaim.map(({ outcome }) => outcome);
      if (first !== undefined)
        await this.queue.recordResults(this.organizationId, first.lane, lease, outcomes);
    }
    return true;
  }
}

/** Removes the recipient's address from a result, because the address must not leave the storage. */
function withoutAddress(result: MailResult, to: string): MailResult {
  if (result.kind === "unsent" || result.answer === null) return result;
  return { ...result, answer: shortenReply(result.answer, to) };
}
