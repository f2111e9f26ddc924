import { MAX_ACTIONS } from "../automations/action-schema.js";
import type { AutomationMessage } from "../automations/schema.js";
import type { Step } from "../base/concurrency/step.js";
import { DAY_MS } from "../base/values/clock.js";
import type { Tenant } from "../kernel/tenant.js";
import type { StoredAutomationRun } from "../storage/automations.js";
import type { StoredMessageDelivery } from "../storage/mail.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import type { StoredUser } from "../storage/users.js";
import { formatRunMessageId } from "../wallets/shown-message.js";
import { DeliveryTally } from "./delivery-tally.js";
import { readRecentMessages } from "./frequency-cap.js";
import { endEarly, markClaimed, withEndStatus } from "./mail-outcome.js";
import { type MessageContext, readSendingSettings } from "./message-context.js";
import { endOnCards, removeFromCards } from "./message-end.js";
import { readRecipients } from "./recipient-facts.js";
import { chooseChannels, findSkipReason, type SkipReason } from "./recipients.js";
import {
  buildDeliveries,
  type DeliverySource,
  findCurrentSkipReason,
  insertDeliveries,
  readRecentCardMessages,
  showOnCards,
} from "./send-batch.js";
import type { MessageChannel } from "./subscription-schema.js";

/** How long an automation's message may be sent, and how long cards show it, in milliseconds. */
const MAX_SEND_MS = DAY_MS;
const DISPLAY_MS = 7 * DAY_MS;

/** More deliveries than a run ever has. */
const PAGE_SIZE = 200;

/** The automation run that is being processed, its customer, and the current transaction. */
export interface CustomerRun extends MessageContext {
  readonly run: StoredAutomationRun;
  readonly user: StoredUser;
}

export interface RunMessageContext extends CustomerRun {
  /** The index of the action within the run, starting at 0. */
  readonly index: number;
}

/**
 * Creates the deliveries for a run's message in the caller's transaction. A delivery that can't reach the customer is skipped. As
 * with campaigns, emails wait to be claimed, and cards show the message immediately or once quiet hours end.
 * @returns the time at which to continue, in milliseconds since the Unix epoch, or `null` if nothing is left to do.
 */
export function* sendToCustomer(context: RunMessageContext, message: AutomationMessage): Step<number | null> {
  const { tx, now, user } = context;
  const { settings, quietUntil } = yield* readSendingSettings(tx, now);
  const [recipient] = yield* readRecipients(tx, message, [user]);
  if (recipient === undefined) return null;
  const recentMessages = yield* readRecentCardMessages(context, message, settings, [user]);
  const rules = {
    source: toDeliverySource(context),
    settings,
    recentMessages,
    endsAt: now + MAX_SEND_MS,
    heldUntil: quietUntil,
  };
  const newDeliveries = buildDeliveries(context, message, recipient, rules);
  const changes = new DeliveryTally(now);
  for (const { delivery } of newDeliveries) changes.record(null, delivery);
  yield* insertDeliveries(context, newDeliveries);
  yield* showOnCards(
    context,
    { id: toMessageId(context), shownUntil: now + DISPLAY_MS },
    newDeliveries,
    changes,
  );
  yield* changes.write(context);
  return findNextCheck(newDeliveries.map(({ delivery }) => delivery));
}

/** Whether a message reaches the customer on a channel. `reason` says why it doesn't, or is `null` if it does. */
export interface ChannelReach {
  readonly channel: MessageChannel;
  readonly reason: SkipReason | null;
}

/**
 * Determines which channels an automation's message would use for a customer if it were sent now, and whether the message would
 * reach the customer on each of them.
 */
export function* findReachableChannels(
  tenant: Tenant,
  reader: StorageReader,
  message: AutomationMessage,
  user: StoredUser,
): Step<readonly ChannelReach[]> {
  const now = tenant.now();
  const { settings } = yield* readSendingSettings(reader, now);
  const [recipient] = yield* readRecipients(reader, message, [user]);
  if (recipient === undefined) return [];
  const userIds = message.respectsCap ? [user.id] : [];
  const recentMessages = yield* readRecentMessages(reader, settings, userIds, now);
  const facts = {
    ...recipient,
    ...{ isCanceled: false, isExpired: false, isWalletDefault: settings.isWalletDefault },
    isCapped: recentMessages.isCapped(user.id, null),
  };
  return chooseChannels(message.order, message.channels, (channel) => findSkipReason(channel, facts));
}

/**
 * Continues processing a run's message on the customer's cards. Shows the message once quiet hours are over, ends deliveries that
 * have waited too long for a wallet, and finally removes the message.
 * @returns the time at which to continue, in milliseconds since the Unix epoch, or `null` if nothing is left to do.
 */
export function* continueOnCards(
  context: RunMessageContext,
  message: AutomationMessage,
): Step<number | null> {
  const { tx, now } = context;
  const changes = new DeliveryTally(now);
  const pendingDeliveries = yield* readRunDeliveries(context, "PENDING");
  const changedDeliveries: StoredMessageDelivery[] = [];
  for (const before of pendingDeliveries) {
    const delivery = yield* startDelivery(context, message, before, changes);
    changes.record(before, delivery);
    changedDeliveries.push(delivery);
  }
  const sendingDeliveries = (yield* readRunDeliveries(context, "SENDING")).filter(
    ({ expiresAt }) => expiresAt <= now,
  );
  yield* endOnCards(context, sendingDeliveries, "expired", changes);
  yield* changes.write(context);
  const openDeliveries = [...changedDeliveries, ...(yield* readRunDeliveries(context, "SENDING"))];
  const [shownCard] = yield* tx.walletCardsWithMessage(toMessageId(context), "", 1);
  const shownUntil = shownCard?.messageUntil ?? null;
  if (shownUntil !== null && shownUntil <= now && (yield* removeFromCards(context, toMessageId(context))))
    return now;
  return findEarliest([
    findNextCheck(openDeliveries),
    shownUntil !== null && shownUntil > now ? shownUntil : null,
  ]);
}

/**
 * Ends a run's card deliveries after its automation was deleted, and removes the run's messages from the customer's cards, as when
 * a campaign is canceled. Emails that are still waiting are skipped when they are claimed.
 */
export function* cancelOnCards(context: CustomerRun): Step<void> {
  const { tx, now, run } = context;
  const changes = new DeliveryTally(now);
  const canceledDeliveries = (yield* readCardDeliveries(context, "PENDING")).map((before) => {
    const delivery = endEarly(before, "canceled", now);
    changes.record(before, delivery);
    return delivery;
  });
  yield* tx.updateMessageDeliveries(canceledDeliveries);
  yield* endOnCards(context, yield* readCardDeliveries(context, "SENDING"), "canceled", changes);
  yield* changes.write(context);
  for (let actionIndex = 0; actionIndex < MAX_ACTIONS; actionIndex += 1) {
    const id = formatRunMessageId({ automationRunId: run.id, actionIndex });
    for (let hasMore = true; hasMore; ) hasMore = yield* removeFromCards(context, id);
  }
}

/** Starts a delivery that has waited for the end of quiet hours. */
function* startDelivery(
  context: RunMessageContext,
  message: AutomationMessage,
  pendingDelivery: StoredMessageDelivery,
  changes: DeliveryTally,
): Step<StoredMessageDelivery> {
  const { tx, now, user } = context;
  const { settings, quietUntil } = yield* readSendingSettings(tx, now);
  const [recipient] = yield* readRecipients(tx, message, [user]);
  const delivery = yield* resolveDelivery();
  yield* tx.updateMessageDeliveries([delivery]);
  const passIds = delivery.status === "SENDING" ? (recipient?.passIdsInWallets ?? []) : [];
  yield* showOnCards(
    context,
    { id: toMessageId(context), shownUntil: now + DISPLAY_MS },
    [{ delivery, passIds }],
    changes,
  );
  return delivery;

  function* resolveDelivery(): Step<StoredMessageDelivery> {
    if (recipient === undefined) return endEarly(pendingDelivery, "customer_deleted", now);
    if (now >= pendingDelivery.expiresAt) return endEarly(pendingDelivery, "expired", now);
    if (quietUntil > now)
      return { ...pendingDelivery, nextAttemptAt: Math.min(quietUntil, pendingDelivery.expiresAt) };
    const recentMessages = yield* readRecentCardMessages(context, message, settings, [user]);
    const reason = findCurrentSkipReason("wallet", recipient, {
      source: toDeliverySource(context),
      settings,
      recentMessages,
    });
    return reason === null
      ? markClaimed(pendingDelivery, now)
      : withEndStatus(pendingDelivery, "SKIPPED", reason, now);
  }
}

/** Returns the wallet deliveries, with the given status, for this action's message. */
function* readRunDeliveries(
  context: RunMessageContext,
  status: "PENDING" | "SENDING",
): Step<StoredMessageDelivery[]> {
  return (yield* readCardDeliveries(context, status)).filter(
    ({ actionIndex }) => actionIndex === context.index,
  );
}

/** Returns the wallet deliveries, with the given status, for all of a run's messages. */
function* readCardDeliveries(
  { tx, run, user }: CustomerRun,
  status: "PENDING" | "SENDING",
): Step<StoredMessageDelivery[]> {
  const query = { status, page: 0, size: PAGE_SIZE };
  const { items } = yield* tx.messageDeliveriesOf({ userId: user.id }, query);
  return items.filter((delivery) => delivery.automationRunId === run.id && delivery.channel === "wallet");
}

function toDeliverySource({ run, index }: RunMessageContext): DeliverySource {
  return { kind: "automation", messageId: null, automationRunId: run.id, actionIndex: index };
}

function toMessageId({ run, index }: RunMessageContext): string {
  return formatRunMessageId({ automationRunId: run.id, actionIndex: index });
}

/** Returns when the card deliveries need to be continued, or `null` for never. */
function findNextCheck(deliveries: readonly StoredMessageDelivery[]): number | null {
  return findEarliest(
    deliveries.map(({ channel, status, nextAttemptAt, expiresAt }) => {
      if (channel !== "wallet") return null;
      if (status === "PENDING") return nextAttemptAt ?? expiresAt;
      return status === "SENDING" ? expiresAt : null;
    }),
  );
}

function findEarliest(times: readonly (number | null)[]): number | null {
  const knownTimes = times.filter((time) => time !== null);
  return knownTimes.length === 0 ? null : Math.min(...knownTimes);
}
