import type { Step } from "../base/concurrency/step.js";
import { DAY_MS, HOUR_MS } from "../base/values/clock.js";
import { foldEmail } from "../base/values/email.js";
import { linkTo } from "../base/values/short-link.js";
import { type WalletPassDetail, walletPassDetailOf } from "../cards/pass-schema.js";
import { type StampCard, stampCardOf } from "../cards/stamps-schema.js";
import { findSharedCooldownSlot, startSharedCooldown } from "../kernel/cooldowns.js";
import { createClaim } from "../kernel/engine.js";
import type { Change, Tenant } from "../kernel/tenant.js";
import type { CardPoints } from "../points/card-points.js";
import { readCardPoints, readPointCard } from "../points/points.js";
import type { PointCard } from "../points/schema.js";
import type { JobResult } from "../storage/jobs.js";
import {
  type MailLane,
  mailJobs,
  mailQueueRecord,
  type StoredMailJob,
  type StoredMailQueue,
  type StoredMessageDelivery,
  type StoredMessageSettings,
} from "../storage/mail.js";
import type { StoredPass } from "../storage/passes.js";
import type { StoredSettings } from "../storage/settings.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import type { StoredSubscription } from "../storage/subscriptions.js";
import type { StoredTemplate } from "../storage/templates.js";
import type { StoredUser } from "../storage/users.js";
import { ensureWalletCard } from "../wallets/card-issue.js";
import {
  buildMailedMessage,
  type ClaimedMessages,
  getContentId,
  type MailedMessage,
  type MessageContent,
  type MessageMailRows,
  readClaimedMessages,
  resolveAtClaim,
} from "./claimed-messages.js";
import { DeliveryTally } from "./delivery-tally.js";
import { buildLinkToken } from "./mail-links.js";
import {
  applyClaimExpiry,
  endIfBlocked,
  findLastAttemptTime,
  markClaimed,
  type SendingConditions,
  setWaiting,
} from "./mail-outcome.js";
import { isNewsPending } from "./subscription-state.js";

/** Maximum number of emails without consent that one organization may send to an address within 24 hours. */
const MAX_MAILS_PER_ORGANIZATION = 10;

/**
 * Maximum number of emails without consent that all organizations together may send to an address within an hour, not counting
 * organizations with which the address is confirmed.
 */
const MAX_MAILS_OVERALL = 30;

/** Maximum number of emails checked per transaction; the organization's other changes wait for it. */
const MAX_CHECKS_PER_TRANSACTION = 100;

/** A claimed email, with all the data needed to render it. */
export interface MailJob {
  readonly organizationId: string;
  readonly lease: string;
  readonly lane: MailLane;
  readonly delivery: StoredMessageDelivery;
  readonly to: string;
  readonly user: { readonly name: string | null };
  /**
   * Whether the customer has opened a confirmation link in one of the organization's emails, which proves that the address is
   * theirs.
   */
  readonly isConfirmed: boolean;
  /** Whether the email offers to confirm news, which the customer asked for when signing up. */
  readonly isNewsPending: boolean;
  /** The language for the email. If none was requested, this is the customer's language. `null` if neither is known. */
  readonly language: string | null;
  readonly pass: WalletPassDetail | null;
  /** The pass's stamp state, or `null` if the pass isn't a stamp card. */
  readonly stampCard: StampCard | null;
  /** What the pass's card shows of its points, or `null` if it has none or the email is a message. */
  readonly points: CardPoints | null;
  /**
   * The email settings, along with the organization's logo and language. If no sender name is set, `senderName` is the
   * organization's name.
   */
  readonly settings: Pick<StoredMessageSettings, "senderName" | "replyTo" | "footer"> &
    Pick<StoredSettings, "logo" | "language">;
  /** The path and query of the card page for `pass`, relative to the public URL. */
  readonly link: string;
  /** The path of the unsubscribe page, or `null` for emails that aren't messages, such as sign-in links. */
  readonly unsubscribe: string | null;
  /** The message, or `null` if the email is about a pass and contains no message. */
  readonly message: MailedMessage | null;
}

/** The emails claimed in one call, and the number of other emails that were ended or postponed. */
export interface ClaimedMails {
  readonly jobs: readonly MailJob[];
  readonly endedCount: number;
  /** The number of emails that were postponed, for example because of quiet hours. */
  readonly postponedCount: number;
  /** Whether more emails might be due. */
  readonly hasMore: boolean;
}

/**
 * Claims at most `limit` due emails in the caller's transaction. Emails that must no longer be sent are ended, and emails that
 * can't be sent yet are postponed.
 */
export function* claimMails(change: Change, lane: MailLane, limit: number): Step<ClaimedMails> {
  const { tenant, tx } = change;
  const { organizationId, engine } = tenant;
  const sealedQueue = yield* tx.lockQueue(mailJobs);
  if (sealedQueue === null) return { jobs: [], endedCount: 0, postponedCount: 0, hasMore: false };
  const queue = engine.secrets.open(mailQueueRecord, organizationId, sealedQueue);
  const claim = createClaim(engine, limit);
  const jobs: MailJob[] = [];
  let [endedCount, postponedCount] = [0, 0];
  for (let checkedCount = 0; ; ) {
    const batchSize = Math.min(limit - jobs.length, MAX_CHECKS_PER_TRANSACTION - checkedCount);
    if (batchSize === 0) return { jobs, endedCount, postponedCount, hasMore: true };
    const dueJobs = yield* tx.claimJobs(mailJobs, lane, { ...claim, limit: batchSize });
    checkedCount += dueJobs.length;
    const checkedJobs = yield* recheckJobs(change, { queue, lane, ...claim }, dueJobs);
    jobs.push(...checkedJobs.jobs);
    endedCount += checkedJobs.endedCount;
    postponedCount += checkedJobs.postponedCount;
    if (dueJobs.length < batchSize) return { jobs, endedCount, postponedCount, hasMore: false };
  }
}

interface OpenClaim {
  /** The mail queue, with its key decrypted. */
  readonly queue: StoredMailQueue;
  readonly lane: MailLane;
  readonly lease: string;
  readonly now: number;
}

/** Checks claimed emails again: a delivery that must not be sent ends or waits for its next attempt. */
function* recheckJobs(
  change: Change,
  { queue, lane, lease, now }: OpenClaim,
  dueJobs: readonly StoredMailJob[],
): Step<Omit<ClaimedMails, "hasMore">> {
  const { tenant, tx } = change;
  if (dueJobs.length === 0) return { jobs: [], endedCount: 0, postponedCount: 0 };
  const ids = dueJobs.map(({ deliveryId }) => deliveryId);
  const deliveries = new Map(
    (yield* tx.messageDeliveriesById(ids)).map((delivery) => [delivery.id, delivery]),
  );
  const dueDeliveries = [...deliveries.values()];
  const messages = yield* readClaimedMessages(tx, dueDeliveries, now);
  const rows = yield* readRelatedRows(tx, dueDeliveries, messages);
  const changes = new DeliveryTally(now);
  const jobs: MailJob[] = [];
  const changedDeliveries: StoredMessageDelivery[] = [];
  const releasedJobs: JobResult[] = [];
  for (const { deliveryId: subject, revision } of dueJobs) {
    const before = deliveries.get(subject);
    if (before === undefined) continue;
    const relatedRows = rows.get(before);
    const { user, subscription } = relatedRows;
    const checkedDelivery = checkAtClaim(before, relatedRows, messages, now);
    const retryAt =
      checkedDelivery.status === "SENDING" && user !== null && user.email !== null
        ? yield* countTransactionalMail(change, checkedDelivery, { email: user.email, subscription }, now)
        : null;
    const delivery = retryAt === null ? checkedDelivery : setWaiting(before, retryAt, now);
    changes.record(before, delivery);
    changedDeliveries.push(delivery);
    if (delivery.status === "SENDING" && user !== null && user.email !== null) {
      if (relatedRows.pass !== null && tenant.engine.channels.wallets.isOn)
        yield* ensureWalletCard(tenant, tx, relatedRows.pass);
      const { pass, template } = relatedRows;
      const card = pass === null || template === null ? null : { pass, template };
      const pointCard = card && (yield* readPointCard(tx, card.pass, card.template, now));
      const points =
        card && !isMessageMail(delivery) ? yield* readCardPoints(tx, card.pass, card.template, now) : null;
      const mailRows = { ...relatedRows, pointCard, points, user: { ...user, email: user.email } };
      jobs.push(buildMailJob(tenant, { queue, lane, lease }, delivery, mailRows));
    } else releasedJobs.push({ subject, revision, nextAttemptAt: delivery.nextAttemptAt });
  }
  yield* tx.updateMessageDeliveries(changedDeliveries);
  if (releasedJobs.length > 0) yield* tx.recordResults(mailJobs, lane, lease, releasedJobs, now);
  yield* changes.write(change);
  const endedJobs = releasedJobs.filter(({ nextAttemptAt }) => nextAttemptAt === null).length;
  return { jobs, endedCount: endedJobs, postponedCount: releasedJobs.length - endedJobs };
}

function checkAtClaim(
  claimedDelivery: StoredMessageDelivery,
  relatedRows: RelatedRows,
  messages: ClaimedMessages,
  now: number,
): StoredMessageDelivery {
  // A valid claim keeps other workers away from an email, so a claim found here has expired.
  const delivery =
    claimedDelivery.status === "SENDING" ? applyClaimExpiry(claimedDelivery, now) : claimedDelivery;
  if (delivery.status !== "PENDING") return delivery;
  if (isMessageMail(delivery)) return resolveAtClaim(delivery, relatedRows, messages, now);
  const { user, subscription } = relatedRows;
  const endedDelivery = endIfBlocked(
    delivery,
    {
      deletionReason: findDeletionReason(delivery, relatedRows),
      hasAddress: user !== null && user.email !== null,
      isSuppressed: subscription !== null && subscription.suppressedReason !== null,
    },
    now,
  );
  if (endedDelivery !== null) return endedDelivery;
  return (delivery.nextAttemptAt ?? now) > now ? delivery : markClaimed(delivery, now);
}

/** Returns the reason if the email's customer or pass no longer exists; `null` if both exist. */
function findDeletionReason(
  { passId }: StoredMessageDelivery,
  { user, pass }: RelatedRows,
): SendingConditions["deletionReason"] {
  if (user === null) return "customer_deleted";
  return passId === null || pass?.userId === user.id ? null : "pass_deleted";
}

function isMessageMail({ kind }: StoredMessageDelivery): boolean {
  return kind === "message" || kind === "automation" || kind === "test";
}

/** The current data related to a delivery. */
interface RelatedRows extends MessageMailRows {
  readonly pass: StoredPass | null;
  readonly template: StoredTemplate | null;
  readonly messageTemplate: StoredTemplate | null;
  readonly settings: StoredMessageSettings | null;
  readonly organizationSettings: StoredSettings | null;
}

/** The current data for an email that can be sent. */
interface MailRows extends RelatedRows {
  readonly user: StoredUser & { readonly email: string };
  readonly pointCard: PointCard | null;
  readonly points: CardPoints | null;
}

function* readRelatedRows(
  reader: StorageReader,
  deliveries: readonly StoredMessageDelivery[],
  { byId: messageById }: ClaimedMessages,
): Step<{ get(delivery: StoredMessageDelivery): RelatedRows }> {
  const userIds = [...new Set(deliveries.map(({ userId }) => userId))];
  const users = yield* reader.usersById(userIds);
  const userById = new Map(users.map((user) => [user.id, user]));
  const subscriptions = yield* reader.subscriptionsOf(userIds);
  const subscriptionByUser = new Map(
    subscriptions.map((subscription) => [subscription.userId, subscription]),
  );
  const passes = users.length === 0 ? [] : yield* reader.passesOfUsers(users);
  const passesByUser = new Map<string, StoredPass[]>(userIds.map((id) => [id, []]));
  for (const pass of passes) passesByUser.get(pass.userId)?.push(pass);
  const findMessage = (delivery: StoredMessageDelivery) =>
    messageById.get(getContentId(delivery) ?? "") ?? null;
  const findPass = (delivery: StoredMessageDelivery) =>
    pickPass(delivery, findMessage(delivery), passesByUser.get(delivery.userId) ?? []);
  const templateIds = deliveries
    .flatMap((delivery) => [findPass(delivery)?.templateId, findMessage(delivery)?.templateId])
    .filter((id) => typeof id === "string");
  const templateById = new Map<string, StoredTemplate | null>();
  for (const id of new Set(templateIds)) templateById.set(id, yield* reader.findTemplate(id));
  const settings = yield* reader.findMessageSettings();
  const organizationSettings = yield* reader.findSettings();
  return {
    get: (delivery) => {
      const { userId } = delivery;
      const message = findMessage(delivery);
      const pass = findPass(delivery);
      return {
        user: userById.get(userId) ?? null,
        message,
        pass,
        template: templateById.get(pass?.templateId ?? "") ?? null,
        messageTemplate: templateById.get(message?.templateId ?? "") ?? null,
        subscription: subscriptionByUser.get(userId) ?? null,
        settings,
        organizationSettings,
      };
    },
  };
}

/**
 * Returns the pass that an email is about. For a message, it is the customer's oldest pass for the message's template, or else the
 * customer's newest pass.
 * @param passes the customer's passes, oldest first.
 */
function pickPass(
  delivery: StoredMessageDelivery,
  message: MessageContent | null,
  passes: readonly StoredPass[],
): StoredPass | null {
  if (!isMessageMail(delivery)) return passes.find(({ id }) => id === delivery.passId) ?? null;
  const templatePass = passes.find(({ templateId }) => templateId === message?.templateId);
  return templatePass ?? passes.findLast(({ isPreviewPass }) => !isPreviewPass) ?? null;
}

function buildMailJob(
  { organizationId, engine }: Tenant,
  { queue, lane, lease }: Omit<OpenClaim, "now">,
  delivery: StoredMessageDelivery,
  {
    pass,
    template,
    messageTemplate,
    subscription,
    message,
    settings,
    organizationSettings,
    pointCard,
    points,
    user,
  }: MailRows,
): MailJob {
  const token = buildLinkToken(queue, delivery.kind === "link" ? "refuse" : "confirm", user);
  const language = delivery.language ?? subscription?.language ?? null;
  return {
    organizationId,
    lease,
    lane,
    delivery,
    to: user.email,
    user: { name: user.name },
    isConfirmed: isConfirmed(subscription),
    // A link email might have been requested by a stranger.
    isNewsPending: delivery.kind !== "link" && subscription !== null && isNewsPending(subscription),
    language,
    pass:
      pass === null || template === null
        ? null
        : walletPassDetailOf(pass, template, engine.config.shortLinks.current, pointCard),
    stampCard: pass === null || pass.card === null ? null : stampCardOf(pass, pass.card),
    points,
    message:
      message &&
      buildMailedMessage(message, delivery, { user, pass, template: messageTemplate, pointCard }, language),
    settings: {
      senderName: settings?.senderName ?? organizationSettings?.name ?? null,
      replyTo: settings?.replyTo ?? null,
      footer: settings?.footer ?? null,
      logo: organizationSettings?.logo ?? null,
      language: organizationSettings?.language ?? null,
    },
    link: `${linkTo("/c", pass?.code ?? "")}?m=${token}`,
    unsubscribe: message === null ? null : `/m/u/${buildLinkToken(queue, "email", user)}`,
  };
}

/** The recipient of an email that requires no consent: their address, and their subscription if they have one. */
interface MailRecipient {
  readonly email: string;
  readonly subscription: StoredSubscription | null;
}

/** Returns whether the customer has confirmed their address through a link in one of the organization's emails. */
function isConfirmed(subscription: StoredSubscription | null): boolean {
  return subscription !== null && subscription.emailConfirmedAt !== null;
}

/**
 * Counts an email that needs no consent against the limits for its address, unless it has been attempted before. The limits apply
 * per address rather than per customer, because an organization can enter any address for a customer, use it for many cards, and
 * reuse it after deleting the customer.
 * @returns the time until which the email must wait, or `null` if it can be sent now.
 */
function* countTransactionalMail(
  { tenant: { organizationId }, tx }: Change,
  delivery: StoredMessageDelivery,
  { email, subscription }: MailRecipient,
  now: number,
): Step<number | null> {
  if (delivery.kind === "message" || delivery.kind === "automation") return null;
  if (findLastAttemptTime(delivery) !== null) return null;
  const mail = `card mail to ${foldEmail(email)}`;
  const limits = [{ action: `${mail} of ${organizationId}`, max: MAX_MAILS_PER_ORGANIZATION, ms: DAY_MS }];
  if (!isConfirmed(subscription)) limits.push({ action: mail, max: MAX_MAILS_OVERALL, ms: HOUR_MS });
  const cooldowns: { readonly name: string; readonly until: number }[] = [];
  for (const { ms, ...limit } of limits) {
    const { name, freeAt } = yield* findSharedCooldownSlot(tx, limit, now);
    if (freeAt > now) return freeAt;
    cooldowns.push({ name, until: now + ms });
  }
  // An email counts toward the limits only if it is sent.
  for (const { name, until } of cooldowns) yield* startSharedCooldown(tx, name, { now, until });
  return null;
}
