import { resolveActor } from "../access/actor-schema.js";
import { runStep, type Step } from "../base/concurrency/step.js";
import type { Clock } from "../base/values/clock.js";
import { foldEmail } from "../base/values/email.js";
import type { ErrorListener } from "../kernel/events/event-emitter.js";
import type { MailSender, SignInMail } from "../kernel/mail-gateway.js";
import type { BackendParts, Change, Tenant } from "../kernel/tenant.js";
import { type MailLane, mailJobs, mailQueueRecord, type StoredMessageDelivery } from "../storage/mail.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";
import type { StoredSubscription } from "../storage/subscriptions.js";
import type { StoredUser } from "../storage/users.js";
import { DeliveryTally } from "./delivery-tally.js";
import { type ClaimedMails, claimMails, type MailJob } from "./mail-claim.js";
import { isSignedBy, type LinkPurpose, type ParsedMailLink, parseMailLink } from "./mail-links.js";
import { applyAttemptResult, type MailOutcome } from "./mail-outcome.js";
import { MAIL_REVISION } from "./mail-queue.js";
import {
  channels,
  confirmAddress,
  readSubscription,
  saveSubscription,
  suppressAddress,
  unsubscribe,
} from "./subscription-state.js";

export type { SignInMail };

/** A link in an email whose signature has been verified. */
export interface SignedMailLink {
  readonly organizationId: string;
  /** The customer's ID, or `null` if the customer has been deleted. */
  readonly userId: string | null;
  readonly purpose: LinkPurpose;
}

/** Maximum number of emails that one claim call ends or postpones without sending. */
const MAX_SKIPPED = 1_000;

/** The actor for a customer who follows a link in an email. */
const customerActor = resolveActor({ kind: "customer" });

/** The actor for the worker that sends emails. */
const workerActor = resolveActor({ kind: "worker" });

/** Claims emails for sending, and handles the links in them. Used by `createMail` from `loyalty-kit/mail` and by the pages. */
export class MailBackend {
  readonly clock: Clock;

  constructor(
    private readonly engine: Pick<BackendParts, "storage" | "clock" | "secrets" | "channels" | "openTenant">,
    readonly onError: ErrorListener,
  ) {
    this.clock = engine.clock;
  }

  /**
   * Attaches a sender. Emails can be queued only while a sender is attached.
   * @returns a function that detaches the sender.
   * @throws {TypeError} if mail is already set up for this service.
   */
  attachSender(sender: MailSender): () => void {
    this.engine.channels.mail.attach(sender);
    return () => this.engine.channels.mail.detach();
  }

  /** Returns the IDs of at most `limit` organizations that have due emails, longest-waiting first. */
  queuesWithDueJobs(limit: number): Promise<string[]> {
    return runStep(this.engine.storage.all.queuesWithDueJobs(mailJobs, this.clock(), limit));
  }

  /**
   * Claims due emails for 60 seconds. Each email is checked again in the transaction that claims it, and emails that must no
   * longer be sent are ended. In addition to the emails that it claims, a call ends or postpones up to about 1,000 emails. Each
   * transaction checks at most 100 emails.
   * @returns the emails to send now. If there are fewer than `limit`, either no other emails are due, or the call stopped early
   *   because it had ended or postponed too many.
   */
  async claim(organizationId: string, lane: MailLane, limit: number): Promise<MailJob[]> {
    const jobs: MailJob[] = [];
    for (let skippedCount = 0; jobs.length < limit && skippedCount < MAX_SKIPPED; ) {
      const claim = await this.claimBatch(organizationId, lane, limit - jobs.length).catch((error) => {
        // Emails that are already claimed are sent anyway.
        if (jobs.length === 0) throw error;
        this.onError(error);
        return null;
      });
      if (claim === null) break;
      jobs.push(...claim.jobs);
      skippedCount += claim.endedCount + claim.postponedCount;
      if (!claim.hasMore) break;
    }
    return jobs;
  }

  private async claimBatch(organizationId: string, lane: MailLane, limit: number): Promise<ClaimedMails> {
    const tenant = this.tenant(organizationId, workerActor);
    const claim = await tenant.change(["mail.claim"], (change) => claimMails(change, lane, limit));
    this.engine.channels.mail.room.release(organizationId, claim.endedCount);
    return claim;
  }

  /**
   * Records the results of the attempts made under one claim, and updates message counts, statistics, and suppressed addresses
   * accordingly. Ignores attempts for deliveries that have since been deleted or claimed by another worker.
   */
  async recordResults(
    organizationId: string,
    lane: MailLane,
    lease: string,
    outcomes: readonly MailOutcome[],
  ): Promise<void> {
    const tenant = this.tenant(organizationId, workerActor);
    const finishedCount = await tenant.change(["mail.settle"], (change) =>
      recordMailResults(change, { organizationId, lane, lease, now: tenant.now() }, outcomes),
    );
    this.engine.channels.mail.room.release(organizationId, finishedCount);
  }

  /**
   * Registers a listener for commits in this process that queue emails.
   * @returns a function that removes the listener.
   */
  onWork(listener: (organizationId: string) => void): () => void {
    return this.engine.channels.mail.onWork(listener);
  }

  /**
   * Verifies a signed link. A link for an email address becomes invalid when the address changes or the customer is deleted.
   * @returns the link's purpose and customer, or `null` if the string isn't a valid link.
   */
  async verifyLink(token: string): Promise<SignedMailLink | null> {
    const signedLink = await this.findLink(token);
    if (signedLink === null) return null;
    const { organizationId, link } = signedLink;
    const { storage } = this.engine;
    const linkedUser = await storage.snapshot(organizationId, (reader) =>
      this.findLinkedUser(reader, organizationId, link),
    );
    return linkedUser === null
      ? null
      : { organizationId, userId: linkedUser.user?.id ?? null, purpose: link.purpose };
  }

  /**
   * Unsubscribes the customer that a link belongs to, both from the link's channel and from the given channel.
   * @returns `false` if the token isn't from a valid unsubscribe link, or `true` otherwise, even if the customer has been deleted.
   */
  async unsubscribe(token: string, channel: "email" | "wallet" | "all"): Promise<boolean> {
    return this.changeByLink(token, ["email", "wallet"], (before, now, { purpose }) => {
      const endedChannels = channels.filter(
        (candidate) => channel === "all" || candidate === channel || candidate === purpose,
      );
      return endedChannels.reduce((after, candidate) => unsubscribe(after, candidate, "link", now), before);
    });
  }

  /**
   * Confirms the address that a confirmation link was sent to.
   * @returns `false` if the token isn't from a valid confirmation link.
   */
  async confirm(token: string): Promise<boolean> {
    return this.changeByLink(token, ["confirm"], confirmAddress);
  }

  /**
   * Suppresses the address that a link was sent to, and unsubscribes the customer from email.
   * @returns `false` if the token isn't from a valid link that lets the recipient stop emails to the address.
   */
  async suppressAddress(token: string): Promise<boolean> {
    return this.changeByLink(token, ["confirm", "refuse"], (before, now) =>
      unsubscribe(suppressAddress(before, "complained", now), "email", "link", now),
    );
  }

  private async changeByLink(
    token: string,
    purposes: readonly LinkPurpose[],
    apply: (before: StoredSubscription, now: number, link: ParsedMailLink) => StoredSubscription,
  ): Promise<boolean> {
    const signedLink = await this.findLink(token);
    if (signedLink === null || !purposes.includes(signedLink.link.purpose)) return false;
    const { organizationId, link } = signedLink;
    const tenant = this.tenant(organizationId);
    const findLinked = (reader: StorageReader) => this.findLinkedUser(reader, organizationId, link);
    return tenant.change(["mail.link"], function* (change) {
      const { tx } = change;
      const linkedUser = yield* findLinked(tx);
      if (linkedUser === null) return false;
      if (linkedUser.user === null) return true;
      const before = yield* readSubscription(tx, linkedUser.user.id);
      yield* saveSubscription(change, before, apply(before, tenant.now(), link));
      return true;
    });
  }

  /** Finds the organization that a token claims to belong to. The signature isn't verified yet. */
  private async findLink(token: string): Promise<{ organizationId: string; link: ParsedMailLink } | null> {
    const link = parseMailLink(token);
    if (link === null) return null;
    const owner = await runStep(this.engine.storage.all.organizationOfMailToken(link.queueToken));
    return owner === null ? null : { organizationId: owner.organizationId, link };
  }

  /** Returns the user that a link belongs to, who may be deleted; `null` if the organization hasn't signed the link. */
  private *findLinkedUser(
    reader: StorageReader,
    organizationId: string,
    link: ParsedMailLink,
  ): Step<{ readonly user: StoredUser | null } | null> {
    const sealedQueue = yield* reader.findQueue(mailJobs);
    if (sealedQueue === null) return null;
    const queue = this.engine.secrets.open(mailQueueRecord, organizationId, sealedQueue);
    const [user = null] = yield* reader.usersByOrdinal([link.ordinal]);
    return isSignedBy(queue, link, user?.email ?? null) ? { user } : null;
  }

  private tenant(organizationId: string, actor = customerActor): Tenant {
    return this.engine.openTenant(organizationId, actor);
  }
}

interface ResultClaim {
  readonly organizationId: string;
  readonly lane: MailLane;
  readonly lease: string;
  readonly now: number;
}

/**
 * Records the results of the attempts made under one claim, in the caller's transaction.
 * @returns the number of emails that won't be attempted again, either because they were sent or because they failed permanently.
 */
function* recordMailResults(
  change: Change,
  { lane, lease, now }: ResultClaim,
  outcomes: readonly MailOutcome[],
): Step<number> {
  const { tx } = change;
  if (outcomes.length === 0 || (yield* tx.lockQueue(mailJobs)) === null) return 0;
  const outcomesById = new Map(outcomes.map((outcome) => [outcome.deliveryId, outcome]));
  const changedDeliveries: StoredMessageDelivery[] = [];
  const deliveries = yield* tx.messageDeliveriesById([...outcomesById.keys()]);
  for (const before of deliveries) {
    const outcome = outcomesById.get(before.id);
    if (outcome === undefined || before.status !== "SENDING") continue;
    changedDeliveries.push(applyAttemptResult(before, outcome, now));
  }
  const results = changedDeliveries.map(({ id: subject, nextAttemptAt }) => {
    return { subject, revision: MAIL_REVISION, nextAttemptAt };
  });
  const recordedIds = new Set(yield* tx.recordResults(mailJobs, lane, lease, results, now));
  const recordedDeliveries = changedDeliveries.filter(({ id }) => recordedIds.has(id));
  yield* tx.updateMessageDeliveries(recordedDeliveries);
  const changes = new DeliveryTally(now);
  const previousDeliveries = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
  for (const delivery of recordedDeliveries)
    changes.record(previousDeliveries.get(delivery.id) ?? null, delivery);
  yield* changes.write(change);
  for (const { id, userId } of recordedDeliveries) {
    const outcome = outcomesById.get(id);
    // Even if the email has already failed because of a bounce, its address is still unusable.
    if (outcome !== undefined && isAddressDead(outcome))
      yield* suppressIfCurrent(tx, userId, outcome.to, now);
  }
  return recordedDeliveries.filter(({ nextAttemptAt }) => nextAttemptAt === null).length;
}

function isAddressDead({ result }: MailOutcome): boolean {
  return result.kind === "refused" && result.fault === "address" && result.isPermanent;
}

/** Suppresses an address that its server doesn't know, if it is still the customer's address. */
function* suppressIfCurrent(
  tx: StorageTransaction,
  userId: string,
  address: string,
  now: number,
): Step<void> {
  const user = yield* tx.findUser(userId);
  if (user === null || user.email === null || foldEmail(user.email) !== foldEmail(address)) return;
  const before = yield* readSubscription(tx, userId);
  const after = suppressAddress(before, "refused", now);
  if (after !== before) yield* tx.putSubscription(after);
}
