import { LoyaltyService, type StorageAdapter } from "loyalty-kit";
import {
  createStepRunner,
  type JobRunner,
  type OrganizationWork,
} from "../../../adapters/delivery/jobs/job-runner.js";
import { type MailQueue, MailWorker } from "../../../adapters/delivery/mail/worker.js";
import { awaitInStep, type Step } from "../../../src/base/concurrency/step.js";
import { createLoyaltyError, isLoyaltyError } from "../../../src/base/errors.js";
import { serviceInternals } from "../../../src/internals.js";
import { interceptCalls } from "../../kit/intercept-calls.js";
import type { VirtualTime } from "../../webhooks/simulation/virtual-time.js";
import { type Post, ScriptedReply, type SentMail } from "./post.js";

/** State that processes share. */
export interface World {
  readonly time: VirtualTime;
  readonly storage: StorageAdapter;
  readonly post: Post;
  readonly random: (bound: number) => number;
  readonly retentionDays: number;
  /** Whether storage calls fail, and processes die between two steps of their work. */
  isInTrouble: boolean;
  /** Number of storage calls in progress. */
  callsUnderWay: number;
  readonly onError: (error: unknown) => void;
}

export const RATE = { requests: 4, seconds: 2 };
const PENDING = 160;
export const HOST = "shop.example";

const never = new Promise<never>(() => {});

/** A service that sends mails and messages, and may die at any moment. */
export class Process {
  readonly loyalty: LoyaltyService;
  /** Rejects when the process dies. */
  readonly death: Promise<never>;
  /** Mails whose reply it had not stored when it died. */
  underWayAtDeath: readonly SentMail[] = [];
  private isDead = false;
  private rejectDeath: (error: unknown) => void = () => {};
  private readonly worker: MailWorker;
  private readonly messageWorker: JobRunner<string>;

  constructor(
    private readonly world: World,
    private readonly onDeath: (process: Process) => void,
  ) {
    const { time, storage, post, retentionDays } = world;
    this.death = new Promise((_, reject) => {
      this.rejectDeath = reject;
    });
    this.death.catch(() => {});
    const onError = (error: unknown) => {
      if (error instanceof ScriptedReply || isLoyaltyError(error, "storage_unavailable")) return;
      world.onError(error);
    };
    this.loyalty = new LoyaltyService({
      storage: interceptCalls(storage, (method, proceed) => this.interceptCall(method, proceed)),
      clock: time.clock,
      retention: { messageDays: retentionDays },
      // A message takes several slices, and each slice waits for the previous one.
      limits: { pendingMessageDeliveries: PENDING },
      onError,
    });
    const backend = serviceInternals(this.loyalty).backends.mail;
    backend.attachSender({ host: HOST });
    const queue: MailQueue = {
      clock: backend.clock,
      queuesWithDueJobs: (limit) => backend.queuesWithDueJobs(limit),
      claim: async (...claim) => {
        const jobs = await backend.claim(...claim);
        if (jobs.length > 0) await this.dieByChance(150);
        return jobs;
      },
      recordResults: async (organizationId, lane, lease, outcomes) => {
        await this.dieByChance(150);
        await backend.recordResults(organizationId, lane, lease, outcomes);
        for (const { deliveryId, at, result } of outcomes) {
          if (result.kind === "unsent") continue;
          const mail = post.sent.find((each) => each.id === deliveryId && each.by === this && each.at === at);
          if (mail !== undefined) mail.settledAt ??= time.now;
        }
      },
      onWork: (listener) => backend.onWork(listener),
    };
    const setTimer = (ms: number, work: () => void) =>
      time.after(ms, () => {
        if (!this.isDead) work();
      });
    this.worker = new MailWorker(queue, {
      sender: {
        ...{ publicUrl: `https://${HOST}`, from: { name: "Shop", address: `cards@${HOST}` } },
        ...{ replyTo: null, bounceDomain: null, host: HOST },
      },
      transport: { send: (mail) => this.whileAlive(post.send(mail, this, () => this.die())) },
      ...{ rate: RATE, maxConcurrentSends: 5, pollMs: 5 * 60_000, onError, onWait: () => {} },
      now: time.clock,
      after: setTimer,
    });
    this.worker.start();
    const messages = serviceInternals(this.loyalty).backends.messages;
    const advanced: OrganizationWork = {
      queuesWithDueJobs: (limit) => messages.queuesWithDueJobs(limit),
      advance: async (organizationId) => {
        const isDone = await messages.advance(organizationId);
        if (isDone) await this.dieByChance(150);
        return isDone;
      },
      onWork: (listener) => messages.onWork(listener),
      onError,
    };
    this.messageWorker = createStepRunner(advanced, { pollMs: 5 * 60_000, after: setTimer });
    this.messageWorker.start();
  }

  /**
   * Stops everything that the process began. What it sent or wrote may have arrived, but the process never learns
   * that.
   */
  die(): void {
    if (this.isDead) return;
    this.isDead = true;
    this.underWayAtDeath = this.world.post.sent.filter((mail) => mail.by === this && mail.settledAt === null);
    this.rejectDeath(new ScriptedReply("the process died"));
    this.onDeath(this);
  }

  async close(): Promise<void> {
    await Promise.all([this.worker.close(), this.messageWorker.close()]);
  }

  private async dieByChance(odds: number): Promise<void> {
    const { isInTrouble, random } = this.world;
    if (!isInTrouble || random(odds) > 0) return;
    this.die();
    await never;
  }

  /** Delays a storage call before and after it runs. Sometimes the call fails, or its result is lost. */
  private *interceptCall(method: string, proceed: () => Step<unknown>): Step<unknown> {
    if (method === "close") return undefined;
    const { world } = this;
    const { time, random } = world;
    yield* awaitInStep(time.pass(random(20)));
    if (this.isDead) yield* awaitInStep(never);
    const luck = world.isInTrouble ? random(100) : 100;
    if (luck === 0) throw createLoyaltyError("storage_unavailable");
    world.callsUnderWay += 1;
    let answer: unknown;
    try {
      answer = yield* proceed();
    } finally {
      world.callsUnderWay -= 1;
    }
    yield* awaitInStep(time.pass(random(random(50) === 0 ? 8_000 : 20)));
    if (this.isDead) yield* awaitInStep(never);
    if (luck === 1 && method === "transaction") throw createLoyaltyError("storage_unavailable");
    return answer;
  }

  private async whileAlive<T>(work: Promise<T>): Promise<T> {
    try {
      const result = await work;
      return this.isDead ? never : result;
    } catch (error) {
      if (this.isDead) return never;
      throw error;
    }
  }
}
