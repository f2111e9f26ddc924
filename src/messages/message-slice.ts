import type { Step } from "../concurrency/step.js";
import type { MessageChannel } from "../resources/subscription.js";
import { mailJobs, type NewMailJob, type StoredMessageDelivery } from "../storage/mail.js";
import type { StoredMessage } from "../storage/messages.js";
import type { Tenant } from "../tenant/tenant.js";
import { setMessage } from "../wallets/card-messages.js";
import { googleCalls, googleSeconds } from "../wallets/google-pace.js";
import { RecentMessages, recentMessages } from "./cap.js";
import { DeliveryChanges } from "./delivery-changes.js";
import { endedAs } from "./mail-outcome.js";
import { MAIL_REVISION, mailQueueOf, takeRoom } from "./mail-queue.js";
import { endOf } from "./message-times.js";
import { LOOK_AGAIN_MS, type MessageTurn, sendingSettings } from "./message-turn.js";
import { type Recipient, recipientsOf } from "./recipient-facts.js";
import { channelsFor, deliveriesEach, firstReason, type SkipReason } from "./recipients.js";

/** So many members of an audience get their deliveries at once: other changes of the organization wait for that. */
const SLICE = 250;

/** Storage takes at most this many ids at a time. */
const MOST_IDS = 1_000;

/**
 * An organization has at most so many mails with messages that could be sent by now and are not: what is made is soon cancelled,
 * and many messages at once are not felt by others. Those that are to be tried again later do not count.
 */
const MOST_AHEAD = 10_000;

/** Messages take room for mails up to this share of the limit: the rest is for mails about passes. */
const SHARE_OF_ROOM = 1 / 2;

/**
 * Makes the deliveries of the next members of a message's audience. Mails are queued, and cards show the message from then on.
 * @returns when there is more to do with it.
 */
export function* sendSlice(turn: MessageTurn, message: StoredMessage): Step<number> {
  const { tenant, tx, record, now } = turn;
  const { organizationId } = tenant;
  const endsAt = message.endsAt ?? endOf(message, now);
  const { settings, quietUntil } = yield* sendingSettings(tx, organizationId, now);
  if (quietUntil > now) return Math.min(quietUntil, endsAt);
  const ordinals = yield* tx.messageAudience(organizationId, message.id, message.cursor, sliceOf(tenant));
  const last = ordinals.at(-1);
  if (last === undefined) return endsAt;
  if (!(yield* hasRoom(turn, message, ordinals.length))) return Math.min(now + LOOK_AGAIN_MS, endsAt);
  const users = yield* tx.usersByOrdinal(organizationId, ordinals);
  const recipients = yield* recipientsOf(tx, organizationId, message, users);
  const recent =
    message.respectsCap && message.channels.includes("wallet")
      ? yield* recentMessages(
          tx,
          organizationId,
          settings,
          users.map(({ id }) => id),
          now,
        )
      : new RecentMessages(null, []);
  const made = recipients.flatMap((recipient) =>
    deliveriesTo(turn, { ...message, endsAt }, recipient, (channel) => {
      const reason = firstReason(channel, {
        ...recipient,
        isCancelled: false,
        isExpired: false,
        isWalletDefault: settings.isWalletDefault,
        // Mails are looked at again when they are claimed.
        isCapped: channel === "wallet" && recent.isCapped(recipient.user.id, message.id),
      });
      return channel === "email" && message.order === "each" && isOfConsent(reason) ? null : reason;
    }),
  );
  const changes = new DeliveryChanges(organizationId, now);
  for (const { delivery } of made) changes.note(null, delivery);
  const each = deliveriesEach(message.order, message.channels);
  changes.skipUnmade(message.id, "left", (ordinals.length - users.length) * each);
  yield* keep(turn, made);
  const paceMs = yield* paceOf(turn, made);
  yield* putOnCards(turn, message, made, changes);
  yield* changes.write(tx, record, { ...message, cursor: last + 1 });
  return Math.min(now + paceMs, endsAt);
}

/** True for what a customer may say otherwise until the claim of the mail, which decides then. */
function isOfConsent(reason: SkipReason | null): boolean {
  return reason === "no_consent" || reason === "unsubscribed";
}

/**
 * Returns how long Google takes to be told of the cards of a slice, in milliseconds: the next one waits for so long, so that a
 * stamp does not wait for all of them.
 */
function* paceOf({ tenant, tx, now }: MessageTurn, made: readonly MadeDelivery[]): Step<number> {
  const passIds = made.flatMap((each) => each.passIds);
  let calls = 0;
  for (let at = 0; at < passIds.length; at += MOST_IDS) {
    const cards = yield* tx.walletCardsOf(tenant.organizationId, passIds.slice(at, at + MOST_IDS));
    for (const card of cards) calls += googleCalls(card, now);
  }
  return googleSeconds(calls) * 1_000;
}

function sliceOf({ engine }: Tenant): number {
  return Math.max(1, Math.min(SLICE, Math.floor(engine.limits.pendingMessageDeliveries / 4)));
}

function* hasRoom(
  { tenant, tx, now }: MessageTurn,
  { channels }: StoredMessage,
  mails: number,
): Step<boolean> {
  if (!channels.includes("email")) return true;
  const ahead = yield* tx.countDueJobs(tenant.organizationId, mailJobs, "message", now, MOST_AHEAD);
  if (ahead + mails > MOST_AHEAD) return false;
  const { pendingMessageDeliveries } = tenant.engine.limits;
  const most = Math.max(mails, Math.floor(pendingMessageDeliveries * SHARE_OF_ROOM));
  return yield* takeRoom(tenant, tx, mails, most);
}

/** A delivery with the passes whose cards are to show its message. */
interface MadeDelivery {
  readonly delivery: StoredMessageDelivery;
  readonly passIds: readonly string[];
}

function deliveriesTo(
  { tenant, now }: MessageTurn,
  message: StoredMessage & { readonly endsAt: number },
  recipient: Recipient,
  reasonOf: (channel: MessageChannel) => SkipReason | null,
): MadeDelivery[] {
  return channelsFor(message.order, message.channels, reasonOf).map(({ channel, reason }) => {
    const delivery = newDelivery(tenant, { kind: "message", message, recipient, channel, reason, now });
    return { delivery, passIds: delivery.status === "SENDING" ? recipient.passIdsInWallets : [] };
  });
}

/** The parts that a delivery is made of. */
export interface NewDelivery {
  readonly kind: "message" | "test";
  readonly message: Pick<StoredMessage, "id"> & { readonly endsAt: number };
  readonly recipient: Pick<Recipient, "user" | "passes" | "passIdsInWallets" | "platforms">;
  readonly channel: MessageChannel;
  /** `null` for one that is to be sent. */
  readonly reason: SkipReason | null;
  readonly now: number;
}

/**
 * A mail waits for its claim; what is to be on a card is on its way at once. Either is listed with the customer's oldest card of the
 * message's template.
 */
export function newDelivery(
  tenant: Tenant,
  { kind, message, recipient, channel, reason, now }: NewDelivery,
): StoredMessageDelivery {
  const { user, passes, passIdsInWallets, platforms } = recipient;
  const [platform = null, another] = [...platforms];
  const ofWallet = channel === "wallet";
  const isPending = reason === null && !ofWallet;
  return {
    id: tenant.newId("mdl"),
    kind,
    userId: user.id,
    passId: (ofWallet ? passIdsInWallets[0] : passes[0]?.id) ?? null,
    messageId: message.id,
    automationRunId: null,
    actionIndex: null,
    channel,
    platform: ofWallet && another === undefined ? platform : null,
    language: null,
    status: reason !== null ? "SKIPPED" : isPending ? "PENDING" : "SENDING",
    reason,
    isSilent: false,
    isUncertain: false,
    attempts: [],
    failures: 0,
    nextAttemptAt: isPending ? now : null,
    expiresAt: message.endsAt,
    createdAt: now,
    updatedAt: now,
  };
}

/** Writes deliveries, and queues those that are mails. */
export function* keep(
  { tenant, tx, now }: MessageTurn,
  made: readonly Pick<MadeDelivery, "delivery">[],
): Step<void> {
  const { organizationId, engine } = tenant;
  const deliveries = made.map(({ delivery }) => delivery);
  // As many go that need not be kept any more, so that they never pile up.
  const before = now - engine.retention.messageMs;
  yield* tx.removeMessageDeliveries(organizationId, { before, limit: deliveries.length });
  yield* tx.insertMessageDeliveries(organizationId, deliveries);
  const mails = deliveries.filter(({ status }) => status === "PENDING");
  if (mails.length === 0) return;
  yield* mailQueueOf(tx, organizationId, engine.secretKeys);
  const jobs = mails.map(({ id: deliveryId }): NewMailJob => {
    return { deliveryId, lane: "message", revision: MAIL_REVISION, nextAttemptAt: now, createdAt: now };
  });
  yield* tx.putJobs(organizationId, mailJobs, jobs);
}

/** Has cards show a message. Deliveries that waited for an older one on them are over. */
export function* putOnCards(
  { tenant, tx, now }: MessageTurn,
  { id, shownUntil }: Pick<StoredMessage, "id" | "shownUntil">,
  made: readonly MadeDelivery[],
  changes: DeliveryChanges,
): Step<void> {
  const { organizationId } = tenant;
  const cards = made.flatMap(({ delivery, passIds }) =>
    passIds.map((passId) => ({ passId, deliveryId: delivery.id })),
  );
  if (cards.length === 0) return;
  const shown = { id, until: shownUntil ?? now };
  const replaced = yield* setMessage(tx, organizationId, shown, cards, now);
  if (replaced.length === 0) return;
  const waited = yield* tx.messageDeliveriesById(organizationId, replaced);
  const ended: StoredMessageDelivery[] = [];
  for (const before of waited) {
    if (before.status !== "SENDING") continue;
    const after = endedAs(before, "SKIPPED", "replaced", now);
    changes.note(before, after);
    ended.push(after);
  }
  yield* tx.updateMessageDeliveries(organizationId, ended);
}
