import { runStep, type Step } from "../concurrency/step.js";
import type { ErrorListener } from "../events/event-emitter.js";
import { resolveActor } from "../resources/actor.js";
import { transformMailQueueSecrets } from "../sealing/row-secrets.js";
import { type MailLane, mailJobs } from "../storage/mail.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import type { StoredSubscription } from "../storage/subscriptions.js";
import type { StoredUser } from "../storage/users.js";
import type { Engine } from "../tenant/engine.js";
import type { MailSender, SignInMail } from "../tenant/mail-gateway.js";
import { createCallContext, Tenant } from "../tenant/tenant.js";
import type { Clock } from "../values/clock.js";
import { type ClaimedMails, claimMails, type MailJob } from "./mail-claim.js";
import { isSignedBy, type LinkPurpose, type ReadLink, readLink } from "./mail-links.js";
import type { MailOutcome } from "./mail-outcome.js";
import { recordMailResults } from "./mail-results.js";
import {
  channels,
  confirmAddress,
  readSubscription,
  saveSubscription,
  suppressAddress,
  unsubscribe,
} from "./subscription-state.js";

export type { SignInMail };

/** A link from a mail, with a valid signature. */
export interface SignedMailLink {
  readonly organizationId: string;
  /** `null` if the customer is deleted. */
  readonly userId: string | null;
  readonly purpose: LinkPurpose;
}

/** The most mails that one call to claim mails ends without sending. */
const MOST_PASSED_OVER = 1_000;

/** The actor of someone who follows a link in a mail. */
const reader = resolveActor({ kind: "customer" });

/** The actor that sends mails. */
const sending = resolveActor({ kind: "worker" });

/** Hands out mails to be sent, and takes what the links in them say; `createMail` of `loyalty-kit/mail` and pages use it. */
export class MailBackend {
  readonly clock: Clock;

  constructor(
    private readonly engine: Engine,
    readonly onError: ErrorListener,
  ) {
    this.clock = engine.clock;
  }

  /** Lets mails be queued, until the returned function is called. @throws {TypeError} if mail is already set up for this service. */
  attachSender(sender: MailSender): () => void {
    this.engine.mail.attach(sender);
    return () => this.engine.mail.detach();
  }

  /** The organizations that have mails that are due, those that wait longest first. */
  queuesWithDueJobs(limit: number): Promise<string[]> {
    return runStep(this.engine.storage.queuesWithDueJobs(mailJobs, this.clock(), limit));
  }

  /**
   * Claims due mails for 60 seconds. It checks each again in the transaction, and ends those that must not be sent: up to about
   * 1,000 beside the claimed ones, at most 100 a transaction.
   * @returns the mails to send now. Fewer than `limit` mean that no others are due, or that very many have ended or wait.
   */
  async claim(organizationId: string, lane: MailLane, limit: number): Promise<MailJob[]> {
    const jobs: MailJob[] = [];
    for (let passedOver = 0; jobs.length < limit && passedOver < MOST_PASSED_OVER; ) {
      const found = await this.claimSome(organizationId, lane, limit - jobs.length).catch((error) => {
        // The mails that are claimed already are sent all the same.
        if (jobs.length === 0) throw error;
        this.onError(error);
        return null;
      });
      if (found === null) break;
      jobs.push(...found.jobs);
      passedOver += found.ended + found.held;
      if (!found.isPart) break;
    }
    return jobs;
  }

  private async claimSome(organizationId: string, lane: MailLane, limit: number): Promise<ClaimedMails> {
    const tenant = this.tenant(organizationId, sending);
    const found = await tenant.change(["mail.claim"], (tx, record) =>
      claimMails(tenant, tx, record, lane, limit),
    );
    this.engine.mail.room.release(organizationId, found.ended);
    return found;
  }

  /**
   * Records the attempts of one claim and their consequences. Ignores attempts whose claim was lost to another worker, and attempts
   * of deleted deliveries.
   */
  async recordResults(
    organizationId: string,
    lane: MailLane,
    lease: string,
    outcomes: readonly MailOutcome[],
  ): Promise<void> {
    const tenant = this.tenant(organizationId, sending);
    const ended = await tenant.change(["mail.settle"], (tx, record) =>
      recordMailResults(tx, record, { organizationId, lane, lease, now: tenant.now() }, outcomes),
    );
    this.engine.mail.room.release(organizationId, ended);
  }

  /** Listens for commits in this process that queued mails. @returns a function that ends it. */
  onWork(listener: (organizationId: string) => void): () => void {
    return this.engine.mail.onWork(listener);
  }

  /**
   * Returns what a signed link is for; `null` for any other text. A link about an address ends when the address changes or the
   * customer is deleted.
   */
  async verifyLink(token: string): Promise<SignedMailLink | null> {
    const found = await this.find(token);
    if (found === null) return null;
    const { organizationId, link } = found;
    const { storage } = this.engine;
    const linked = await storage.snapshot((reader) => this.findLinkedUser(reader, organizationId, link), {
      organizationId,
    });
    return linked === null
      ? null
      : { organizationId, userId: linked.user?.id ?? null, purpose: link.purpose };
  }

  /**
   * Unsubscribes the customer of a link, on its channel and on the given one.
   * @returns false if the token is not from an unsubscribe link. True for a deleted customer too.
   */
  async unsubscribe(token: string, channel: "email" | "wallet" | "all"): Promise<boolean> {
    return this.changeByLink(token, ["email", "wallet"], (before, now, { purpose }) => {
      const ended = channels.filter((each) => channel === "all" || each === channel || each === purpose);
      return ended.reduce((after, each) => unsubscribe(after, each, "link", now), before);
    });
  }

  /** Records that the reader of the mails confirmed the address. @returns false if the token is not for that. */
  async confirm(token: string): Promise<boolean> {
    return this.changeByLink(token, ["confirm"], confirmAddress);
  }

  /** Suppresses the address. @returns false if the token is not for that. */
  async suppressAddress(token: string): Promise<boolean> {
    return this.changeByLink(token, ["confirm", "refuse"], (before, now) =>
      unsubscribe(suppressAddress(before, "complained", now), "email", "link", now),
    );
  }

  private async changeByLink(
    token: string,
    purposes: readonly LinkPurpose[],
    change: (before: StoredSubscription, now: number, link: ReadLink) => StoredSubscription,
  ): Promise<boolean> {
    const found = await this.find(token);
    if (found === null || !purposes.includes(found.link.purpose)) return false;
    const { organizationId, link } = found;
    const tenant = this.tenant(organizationId);
    const linkedIn = (reader: StorageReader) => this.findLinkedUser(reader, organizationId, link);
    return tenant.change(["mail.link"], function* (tx, record) {
      const linked = yield* linkedIn(tx);
      if (linked === null) return false;
      if (linked.user === null) return true;
      const before = yield* readSubscription(tx, organizationId, linked.user.id);
      yield* saveSubscription(tx, organizationId, record, before, change(before, tenant.now(), link));
      return true;
    });
  }

  /** Finds whose token it might be. */
  private async find(token: string): Promise<{ organizationId: string; link: ReadLink } | null> {
    const link = readLink(token);
    if (link === null) return null;
    const owner = await runStep(this.engine.storage.organizationOfMailToken(link.queueToken));
    return owner === null ? null : { organizationId: owner.organizationId, link };
  }

  /** Whom a link is of; `null` if the organization has not signed it. */
  private *findLinkedUser(
    reader: StorageReader,
    organizationId: string,
    link: ReadLink,
  ): Step<{ readonly user: StoredUser | null } | null> {
    const stored = yield* reader.findMailQueue(organizationId);
    if (stored === null) return null;
    const queue = transformMailQueueSecrets(this.engine.secretKeys, "open", organizationId, stored);
    const [user = null] = yield* reader.usersByOrdinal(organizationId, [link.ordinal]);
    return isSignedBy(queue, link, user?.email ?? null) ? { user } : null;
  }

  private tenant(organizationId: string, actor = reader): Tenant {
    return new Tenant(this.engine, organizationId, "all", createCallContext({ actor }));
  }
}
