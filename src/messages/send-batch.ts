import type { Step } from "../base/concurrency/step.js";
import type { Tenant } from "../kernel/tenant.js";
import { splitIntoBatches } from "../storage/batches.js";
import { mailJobs, type NewMailJob, type StoredMessageDelivery } from "../storage/mail.js";
import type { StoredMessage } from "../storage/messages.js";
import type { StoredUser } from "../storage/users.js";
import { setMessage } from "../wallets/card-messages.js";
import { countGoogleCalls, estimateGoogleMs } from "../wallets/google-limits.js";
import { DeliveryTally } from "./delivery-tally.js";
import { getCapKey, RecentMessages, readRecentMessages } from "./frequency-cap.js";
import { withEndStatus } from "./mail-outcome.js";
import { ensureMailQueue, MAIL_REVISION, reserveMailQuota } from "./mail-queue.js";
import {
  type MessageContext,
  RECHECK_DELAY_MS,
  readSendingSettings,
  type SendingSettings,
} from "./message-context.js";
import { computeMessageEnd } from "./message-times.js";
import { type Recipient, readRecipients } from "./recipient-facts.js";
import {
  chooseChannels,
  countDeliveriesPerMember,
  findSkipReason,
  isConsentReason,
  type SkipReason,
} from "./recipients.js";
import type { MessageChannel } from "./subscription-schema.js";

/** Maximum number of audience members per transaction that creates deliveries; the organization's other changes wait for it. */
const MAX_BATCH_SIZE = 250;

/**
 * Maximum number of due message emails per organization, so that a canceled message ends soon and many messages don't slow down
 * other emails. Emails that wait for a retry don't count.
 */
const MAX_DUE_JOBS = 10_000;

/** The share of the limit on pending emails that messages may use; the rest is reserved for pass emails. */
const QUEUE_SHARE = 1 / 2;

/**
 * Creates deliveries for the next batch of a message's audience, queuing emails and updating cards to show the message.
 * @returns when to process the next batch, in milliseconds since the Unix epoch.
 */
export function* sendBatch(context: MessageContext, message: StoredMessage): Step<number> {
  const { tenant, tx, now } = context;
  const endsAt = message.endsAt ?? computeMessageEnd(message, now);
  const { settings, quietUntil } = yield* readSendingSettings(tx, now);
  if (quietUntil > now) return Math.min(quietUntil, endsAt);
  const ordinals = yield* tx.messageAudience(message.id, message.cursor, computeBatchSize(tenant));
  const lastOrdinal = ordinals.at(-1);
  if (lastOrdinal === undefined) return endsAt;
  if (!(yield* reserveQueueCapacity(context, message, ordinals.length)))
    return Math.min(now + RECHECK_DELAY_MS, endsAt);
  const users = yield* tx.usersByOrdinal(ordinals);
  const recipients = yield* readRecipients(tx, message, users);
  const recentMessages = yield* readRecentCardMessages(context, message, settings, users);
  const source = {
    kind: "message",
    messageId: message.id,
    automationRunId: null,
    actionIndex: null,
  } as const;
  const newDeliveries = recipients.flatMap((recipient) =>
    buildDeliveries(context, message, recipient, {
      source,
      settings,
      recentMessages,
      endsAt,
      heldUntil: now,
    }),
  );
  const changes = new DeliveryTally(now);
  for (const { delivery } of newDeliveries) changes.record(null, delivery);
  const perMember = countDeliveriesPerMember(message.order, message.channels);
  changes.countSkipped(message.id, "customer_deleted", (ordinals.length - users.length) * perMember);
  yield* insertDeliveries(context, newDeliveries);
  const delayMs = yield* estimateUpdateMs(context, newDeliveries);
  yield* showOnCards(context, message, newDeliveries, changes);
  yield* changes.write(context, { ...message, cursor: lastOrdinal + 1 });
  return Math.min(now + delayMs, endsAt);
}

/**
 * Returns how long Google needs to receive a batch's cards, in milliseconds. The next batch waits that long, so that updates for
 * new stamps aren't stuck behind all of the message's cards.
 */
function* estimateUpdateMs(
  { tenant, tx, now }: MessageContext,
  newDeliveries: readonly NewDelivery[],
): Step<number> {
  const passIds = newDeliveries.flatMap((delivery) => delivery.passIds);
  let callCount = 0;
  for (const batch of splitIntoBatches(passIds))
    for (const card of yield* tx.walletCardsOf(batch)) callCount += countGoogleCalls(card, now);
  return estimateGoogleMs(callCount, tenant.engine.channels.wallets.googleCallsPerSecond);
}

function computeBatchSize({ engine }: Tenant): number {
  return Math.max(1, Math.min(MAX_BATCH_SIZE, Math.floor(engine.config.limits.pendingMessageDeliveries / 4)));
}

/**
 * Reserves capacity in the mail queue for the given number of a message's emails. Reserves nothing if the message isn't sent by
 * email.
 * @returns `false` if there isn't enough capacity now.
 */
export function* reserveQueueCapacity(
  { tenant, tx, now }: Pick<MessageContext, "tenant" | "tx" | "now">,
  { channels }: Pick<StoredMessage, "channels">,
  mailCount: number,
): Step<boolean> {
  if (!channels.includes("email")) return true;
  const dueJobCount = yield* tx.countDueJobs(mailJobs, "message", now, MAX_DUE_JOBS);
  if (dueJobCount + mailCount > MAX_DUE_JOBS) return false;
  const { pendingMessageDeliveries } = tenant.engine.config.limits;
  const maxJobs = Math.max(mailCount, Math.floor(pendingMessageDeliveries * QUEUE_SHARE));
  return yield* reserveMailQuota(tenant, tx, mailCount, maxJobs);
}

/** A delivery, with the passes whose cards should show its message. */
interface NewDelivery {
  readonly delivery: StoredMessageDelivery;
  readonly passIds: readonly string[];
}

/** The rules that determine how a message is delivered to each customer. */
export interface DeliveryRules {
  readonly source: DeliverySource;
  readonly settings: SendingSettings;
  /** The recent messages that count toward the frequency cap. */
  readonly recentMessages: RecentMessages;
  /** The latest time at which a delivery can start, in milliseconds since the Unix epoch. */
  readonly endsAt: number;
  /** The earliest time at which cards can show the message, in milliseconds since the Unix epoch. */
  readonly heldUntil: number;
}

/**
 * Reads the recent messages that count toward the frequency cap for card messages. Reads nothing if the message doesn't respect the
 * cap or isn't sent to wallets.
 * @param users at most 1,000 users.
 */
export function* readRecentCardMessages(
  { tx, now }: MessageContext,
  { respectsCap, channels }: Pick<StoredMessage, "respectsCap" | "channels">,
  settings: SendingSettings,
  users: readonly Pick<StoredUser, "id">[],
): Step<RecentMessages> {
  if (!respectsCap || !channels.includes("wallet")) return new RecentMessages(null, []);
  const userIds = users.map(({ id }) => id);
  return yield* readRecentMessages(tx, settings, userIds, now);
}

/**
 * Returns why a message can't reach a customer on a channel now, or `null` if it can. Emails are checked again when they are
 * claimed.
 */
export function findCurrentSkipReason(
  channel: MessageChannel,
  recipient: Recipient,
  { source, settings, recentMessages }: Pick<DeliveryRules, "source" | "settings" | "recentMessages">,
): SkipReason | null {
  return findSkipReason(channel, {
    isCanceled: false,
    isExpired: false,
    ...recipient,
    isWalletDefault: settings.isWalletDefault,
    isCapped: channel === "wallet" && recentMessages.isCapped(recipient.user.id, getCapKey(source)),
  });
}

/** Builds a message's deliveries for a customer, one for each channel that the message uses for them. */
export function buildDeliveries(
  { tenant, now }: MessageContext,
  { order, channels }: Pick<StoredMessage, "order" | "channels">,
  recipient: Recipient,
  rules: DeliveryRules,
): NewDelivery[] {
  const { source, endsAt, heldUntil } = rules;
  const channelChoices = chooseChannels(order, channels, (channel) => {
    const reason = findCurrentSkipReason(channel, recipient, rules);
    return channel === "email" && order === "each" && isConsentReason(reason) ? null : reason;
  });
  return channelChoices.map(({ channel, reason }) => {
    const deliveryInput = { source, endsAt, heldUntil, recipient, channel, reason, now };
    const delivery = buildDelivery(tenant, deliveryInput);
    return { delivery, passIds: delivery.status === "SENDING" ? recipient.passIdsInWallets : [] };
  });
}

/** The fields that identify a delivery's origin: a message, or an automation run and one of its actions. */
export type DeliverySource = Pick<
  StoredMessageDelivery,
  "kind" | "messageId" | "automationRunId" | "actionIndex"
>;

export interface DeliveryInput {
  readonly source: DeliverySource;
  readonly endsAt: number;
  readonly heldUntil: number;
  readonly recipient: Pick<Recipient, "user" | "passes" | "passIdsInWallets" | "platforms">;
  readonly channel: MessageChannel;
  /** Why the delivery is skipped, or `null` if the message can be sent. */
  readonly reason: SkipReason | null;
  readonly now: number;
}

/**
 * Builds a delivery. An email waits to be claimed, whereas a card update starts immediately unless it is held. The delivery is
 * listed under the customer's oldest pass for the message's template. For a card update, only passes in a wallet are considered.
 */
export function buildDelivery(
  tenant: Tenant,
  { source, endsAt, heldUntil, recipient, channel, reason, now }: DeliveryInput,
): StoredMessageDelivery {
  const { user, passes, passIdsInWallets, platforms } = recipient;
  const [platform = null, secondPlatform] = [...platforms];
  const isWallet = channel === "wallet";
  const isPending = reason === null && (!isWallet || heldUntil > now);
  return {
    id: tenant.newId("mdl"),
    ...source,
    userId: user.id,
    passId: (isWallet ? passIdsInWallets[0] : passes[0]?.id) ?? null,
    channel,
    platform: isWallet && secondPlatform === undefined ? platform : null,
    language: null,
    status: reason !== null ? "SKIPPED" : isPending ? "PENDING" : "SENDING",
    reason,
    isSilent: false,
    isUncertain: false,
    attempts: [],
    failures: 0,
    nextAttemptAt: isPending ? Math.min(isWallet ? heldUntil : now, endsAt) : null,
    expiresAt: endsAt,
    createdAt: now,
    updatedAt: now,
  };
}

/** Inserts deliveries and queues their emails. Also removes at most as many expired deliveries as it inserts. */
export function* insertDeliveries(
  { tenant, tx, now }: MessageContext,
  newDeliveries: readonly Pick<NewDelivery, "delivery">[],
): Step<void> {
  const { organizationId, engine } = tenant;
  const deliveries = newDeliveries.map(({ delivery }) => delivery);
  // Removes the same number of expired deliveries, so that they never pile up.
  const before = now - engine.config.retention.messageMs;
  yield* tx.removeMessageDeliveries({ before, limit: deliveries.length });
  yield* tx.insertMessageDeliveries(deliveries);
  const mails = deliveries.filter(({ status, channel }) => status === "PENDING" && channel === "email");
  if (mails.length === 0) return;
  yield* ensureMailQueue(tx, organizationId, engine.secrets);
  const jobs = mails.map(({ id: deliveryId }): NewMailJob => {
    return { deliveryId, lane: "message", revision: MAIL_REVISION, nextAttemptAt: now, createdAt: now };
  });
  yield* tx.putJobs(mailJobs, jobs);
}

/** Shows a message on cards. Ends the deliveries of older messages that were still waiting for a wallet to fetch the same cards. */
export function* showOnCards(
  { tx, now }: MessageContext,
  { id, shownUntil }: Pick<StoredMessage, "id" | "shownUntil">,
  newDeliveries: readonly NewDelivery[],
  changes: DeliveryTally,
): Step<void> {
  const cards = newDeliveries.flatMap(({ delivery, passIds }) =>
    passIds.map((passId) => ({ passId, deliveryId: delivery.id })),
  );
  if (cards.length === 0) return;
  const cardMessage = { id, until: shownUntil ?? now };
  const replacedIds = yield* setMessage(tx, cardMessage, cards, now);
  if (replacedIds.length === 0) return;
  const replacedDeliveries = yield* tx.messageDeliveriesById(replacedIds);
  const endedDeliveries: StoredMessageDelivery[] = [];
  for (const before of replacedDeliveries) {
    if (before.status !== "SENDING") continue;
    const after = withEndStatus(before, "SKIPPED", "replaced", now);
    changes.record(before, after);
    endedDeliveries.push(after);
  }
  yield* tx.updateMessageDeliveries(endedDeliveries);
}
