import type { WalletPassDetail } from "loyalty-kit";
import type { OutgoingMail, SendReply } from "../../adapters/delivery/mail/outgoing-mail.js";
import { type MailQueue, MailWorker, type MailWorkerOptions } from "../../adapters/delivery/mail/worker.js";
import { waitForLoopIteration } from "../../src/base/concurrency/event-loop.js";
import type { MailJob } from "../../src/messages/mail-claim.js";
import type { MailOutcome } from "../../src/messages/mail-outcome.js";
import type { MailLane } from "../../src/storage/mail.js";
import { VirtualTime } from "../webhooks/simulation/virtual-time.js";

const never = new Date(0).toISOString();

const pass: WalletPassDetail = {
  ...{ id: "wps_1", object: "wallet_pass", userId: "usr_1", templateId: "tpl_1", qrCodeValue: "Abc" },
  ...{ isPreviewPass: false, installationStatus: null, createdAt: never, updatedAt: never },
  template: {
    ...{
      id: "tpl_1",
      object: "template",
      key: null,
      name: "Coffee card",
      type: "LOYALTY_CARD",
      maxStamps: null,
    },
    ...{ reward: null, design: null, earning: null, points: null, createdAt: never, updatedAt: never },
  },
  stampProgress: null,
  pointCard: null,
  rewardsAvailable: null,
};

/** A queue of due mails by organization and lane. A mail is done once its result is recorded. */
export class ScriptedMails implements MailQueue {
  readonly clock;
  readonly outcomes: MailOutcome[] = [];
  /** Limit of each claim. */
  readonly claims: number[] = [];
  /** Fails every call that records results while it is true. */
  isReadOnly = false;
  private count = 0;
  private readonly dueJobs = new Map<string, MailJob[]>();

  constructor(time: VirtualTime) {
    this.clock = time.clock;
  }

  onWork(): () => void {
    return () => {};
  }

  add(organizationId: string, lane: MailLane, count: number): void {
    for (let at = 0; at < count; at += 1) {
      this.count += 1;
      const jobs = this.listJobs(organizationId, lane);
      jobs.push(createJob(organizationId, lane, `mdl_${organizationId}_${lane}_${this.count}`));
    }
  }

  async queuesWithDueJobs(limit: number): Promise<string[]> {
    const dueQueues = [...this.dueJobs]
      .filter(([, jobs]) => jobs.length > 0)
      .map(([key]) => key.split(" ")[0] ?? "");
    return [...new Set(dueQueues)].slice(0, limit);
  }

  async claim(organizationId: string, lane: MailLane, limit: number): Promise<MailJob[]> {
    this.claims.push(limit);
    return this.listJobs(organizationId, lane).splice(0, limit);
  }

  async recordResults(_: string, __: MailLane, ___: string, outcomes: readonly MailOutcome[]): Promise<void> {
    if (this.isReadOnly) throw new Error("the storage is read-only");
    this.outcomes.push(...outcomes);
  }

  listResults(): string[] {
    return this.outcomes.map(({ result }) => result.kind);
  }

  private listJobs(organizationId: string, lane: MailLane): MailJob[] {
    const key = `${organizationId} ${lane}`;
    const jobs = this.dueJobs.get(key) ?? [];
    this.dueJobs.set(key, jobs);
    return jobs;
  }
}

/**
 * Opens a worker in virtual time. Its transport accepts each mail after `latencyMs`, unless a test replaces `reply`.
 */
export function openWorker(options: Partial<MailWorkerOptions> & { latencyMs?: number } = {}) {
  const { latencyMs = 10, ...others } = options;
  const time = new VirtualTime(Date.UTC(2026, 0, 1));
  const mails = new ScriptedMails(time);
  const sentMails: { readonly id: string; readonly from: number; to: number }[] = [];
  const faults: unknown[] = [];
  const errors: unknown[] = [];
  const transport = {
    /** Returns the transport's reply to a mail. */
    async reply(_: OutgoingMail): Promise<SendReply> {
      return { code: 250, answer: "ok" };
    },
    async send(mail: OutgoingMail): Promise<SendReply> {
      const attempt = { id: mail.id, from: time.now, to: time.now };
      sentMails.push(attempt);
      await time.pass(latencyMs);
      attempt.to = time.now;
      return transport.reply(mail);
    },
  };
  const worker = new MailWorker(mails, {
    sender: {
      publicUrl: "https://shop.example",
      from: { name: null, address: "cards@shop.example" },
      ...{ replyTo: null, bounceDomain: null, host: "shop.example" },
    },
    transport,
    rate: { requests: 1_000, seconds: 1 },
    maxConcurrentSends: 5,
    pollMs: 1_000,
    onError: (error) => errors.push(error),
    onWait: (fault) => faults.push(fault),
    now: time.clock,
    after: time.after,
    ...others,
  });
  const run = (ms: number) => time.leapTo(time.now + ms, waitUntilQuiet);
  return { worker, mails, transport, time, sent: sentMails, faults, errors, run };
}

/** Waits until all work waits only for virtual time. */
async function waitUntilQuiet(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await waitForLoopIteration();
}

function createJob(organizationId: string, lane: MailLane, id: string): MailJob {
  return {
    ...{
      organizationId,
      lane,
      lease: `lease of ${id}`,
      to: "ada@example.com",
      user: { name: null },
      isConfirmed: true,
      isNewsPending: false,
    },
    delivery: {
      ...{
        id,
        kind: "pass",
        userId: "usr_1",
        passId: "wps_1",
        messageId: null,
        automationRunId: null,
        actionIndex: null,
        channel: "email",
        platform: null,
      },
      ...{ language: null, status: "SENDING", reason: null, isSilent: false, isUncertain: false },
      ...{ attempts: [], failures: 0, nextAttemptAt: null, expiresAt: 0, createdAt: 0, updatedAt: 0 },
    },
    language: null,
    pass,
    stampCard: null,
    points: null,
    settings: { senderName: null, replyTo: null, footer: null, logo: null, language: null },
    link: "/c/Abc?m=token",
    unsubscribe: null,
    message: null,
  };
}
