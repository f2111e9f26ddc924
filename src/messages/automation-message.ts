import type { Step } from "../concurrency/step.js";
import { DAY } from "../jobs/retries.js";
import type { AutomationMessage } from "../resources/automation.js";
import { MAX_ACTIONS } from "../resources/automation-action.js";
import type { MessageChannel } from "../resources/subscription.js";
import type { StoredAutomationRun } from "../storage/automations.js";
import type { StoredMessageDelivery } from "../storage/mail.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import type { StoredUser } from "../storage/users.js";
import type { Tenant } from "../tenant/tenant.js";
import { formatRunMessageId } from "../wallets/run-message.js";
import { DeliveryTally } from "./delivery-tally.js";
import { readRecentMessages } from "./frequency-cap.js";
import { endEarly, markClaimed, withEndStatus } from "./mail-outcome.js";
import { type MessageContext, sendingSettings } from "./message-context.js";
import { removeFromCards } from "./message-end.js";
import { readRecipients } from "./recipient-facts.js";
import { channelsFor, firstSkipReason, type SkipReason } from "./recipients.js";
import {
  buildDeliveries,
  currentSkipReason,
  type DeliverySource,
  insertDeliveries,
  readRecentOnCards,
  showOnCards,
} from "./send-batch.js";
import { endCardDeliveries, stopWaitingFor } from "./wallet-deliveries.js";

/** How long a message of an automation may be sent, and how long cards show it, in milliseconds. */
const SENT_MS = DAY;
const SHOWN_MS = 7 * DAY;

/** More than a run ever has. */
const PAGE = 200;

/** A run, and its customer. */
export interface CustomerRun extends MessageContext {
  readonly run: StoredAutomationRun;
  readonly user: StoredUser;
}

/** One action of a run, which sends a message to its customer. */
export interface RunMessageContext extends CustomerRun {
  /** The place of the message among the actions of the run. */
  readonly index: number;
}

/**
 * Sends the message of a run, in a running transaction, unless something prevents it for the customer. As with campaigns, mails
 * wait for their claims, and cards show it immediately or when quiet hours end.
 * @returns when to continue; `null` for never.
 */
export function* sendToCustomer(turn: RunMessageContext, message: AutomationMessage): Step<number | null> {
  const { tenant, tx, record, now, user } = turn;
  const { organizationId } = tenant;
  const { settings, quietUntil } = yield* sendingSettings(tx, organizationId, now);
  const [recipient] = yield* readRecipients(tx, organizationId, message, [user]);
  if (recipient === undefined) return null;
  const recent = yield* readRecentOnCards(turn, message, settings, [user]);
  const terms = { source: sourceOf(turn), settings, recent, endsAt: now + SENT_MS, heldUntil: quietUntil };
  const made = buildDeliveries(turn, message, recipient, terms);
  const changes = new DeliveryTally(organizationId, now);
  for (const { delivery } of made) changes.record(null, delivery);
  yield* insertDeliveries(turn, made);
  yield* showOnCards(turn, { id: idOf(turn), shownUntil: now + SHOWN_MS }, made, changes);
  yield* changes.write(tx, record);
  return findNextCheck(made.map(({ delivery }) => delivery));
}

/** A channel of a message, and why it does not reach a customer; `null` if it does. */
export interface ChannelReach {
  readonly channel: MessageChannel;
  readonly reason: SkipReason | null;
}

/** Finds how the message of an automation would reach a customer now. */
export function* findReachableChannels(
  tenant: Tenant,
  reader: StorageReader,
  message: AutomationMessage,
  user: StoredUser,
): Step<readonly ChannelReach[]> {
  const { organizationId } = tenant;
  const now = tenant.now();
  const { settings } = yield* sendingSettings(reader, organizationId, now);
  const [recipient] = yield* readRecipients(reader, organizationId, message, [user]);
  if (recipient === undefined) return [];
  const userIds = message.respectsCap ? [user.id] : [];
  const recent = yield* readRecentMessages(reader, organizationId, settings, userIds, now);
  const facts = {
    ...recipient,
    ...{ isCanceled: false, isExpired: false, isWalletDefault: settings.isWalletDefault },
    isCapped: recent.isCapped(user.id, null),
  };
  return channelsFor(message.order, message.channels, (channel) => firstSkipReason(channel, facts));
}

/**
 * Continues with the message of a run on its customer's cards: shows it when quiet hours are over, ends what waits for a wallet too long,
 * and takes it off at the end.
 * @returns when there is more to do with it; `null` for never.
 */
export function* continueOnCards(turn: RunMessageContext, message: AutomationMessage): Step<number | null> {
  const { tenant, tx, record, now } = turn;
  const { organizationId } = tenant;
  const changes = new DeliveryTally(organizationId, now);
  const held = yield* readRunDeliveries(turn, "PENDING");
  const after: StoredMessageDelivery[] = [];
  for (const before of held) {
    const delivery = yield* startDelivery(turn, message, before, changes);
    changes.record(before, delivery);
    after.push(delivery);
  }
  const sending = (yield* readRunDeliveries(turn, "SENDING")).filter(({ expiresAt }) => expiresAt <= now);
  const ended = yield* endCardDeliveries(tx, organizationId, sending, "expired", now);
  for (const [at, before] of sending.entries()) changes.record(before, ended[at] ?? before);
  yield* tx.updateMessageDeliveries(organizationId, ended);
  yield* stopWaitingFor(tx, organizationId, ended);
  yield* changes.write(tx, record);
  const waiting = [...after, ...(yield* readRunDeliveries(turn, "SENDING"))];
  const [shown] = yield* tx.walletCardsWithMessage(organizationId, idOf(turn), "", 1);
  const until = shown?.messageUntil ?? null;
  if (until !== null && until <= now && (yield* removeFromCards(turn, idOf(turn)))) return now;
  return earliest([findNextCheck(waiting), until !== null && until > now ? until : null]);
}

/**
 * Ends what a run whose automation is gone still has for its customer's cards, as of a message that is canceled: takes it off, and sends
 * nothing more. Mails that wait are skipped when they are claimed.
 */
export function* cancelOnCards(turn: CustomerRun): Step<void> {
  const { tenant, tx, record, now, run } = turn;
  const { organizationId } = tenant;
  const held = yield* onWallets(turn, "PENDING");
  const sending = yield* onWallets(turn, "SENDING");
  const ended = [
    ...held.map((delivery) => endEarly(delivery, "canceled", now)),
    ...(yield* endCardDeliveries(tx, organizationId, sending, "canceled", now)),
  ];
  const changes = new DeliveryTally(organizationId, now);
  for (const [at, before] of [...held, ...sending].entries()) changes.record(before, ended[at] ?? before);
  yield* tx.updateMessageDeliveries(organizationId, ended);
  yield* stopWaitingFor(tx, organizationId, ended);
  yield* changes.write(tx, record);
  for (let actionIndex = 0; actionIndex < MAX_ACTIONS; actionIndex += 1) {
    const id = formatRunMessageId({ automationRunId: run.id, actionIndex });
    for (let isPart = true; isPart; ) isPart = yield* removeFromCards(turn, id);
  }
}

/** Begins a delivery that has waited for the end of quiet hours. */
function* startDelivery(
  turn: RunMessageContext,
  message: AutomationMessage,
  held: StoredMessageDelivery,
  changes: DeliveryTally,
): Step<StoredMessageDelivery> {
  const { tenant, tx, now, user } = turn;
  const { organizationId } = tenant;
  const { settings, quietUntil } = yield* sendingSettings(tx, organizationId, now);
  const [recipient] = yield* readRecipients(tx, organizationId, message, [user]);
  const delivery = yield* stateOf();
  yield* tx.updateMessageDeliveries(organizationId, [delivery]);
  const passIds = delivery.status === "SENDING" ? (recipient?.passIdsInWallets ?? []) : [];
  yield* showOnCards(turn, { id: idOf(turn), shownUntil: now + SHOWN_MS }, [{ delivery, passIds }], changes);
  return delivery;

  function* stateOf(): Step<StoredMessageDelivery> {
    if (recipient === undefined) return endEarly(held, "customer_deleted", now);
    if (now >= held.expiresAt) return endEarly(held, "expired", now);
    if (quietUntil > now) return { ...held, nextAttemptAt: Math.min(quietUntil, held.expiresAt) };
    const recent = yield* readRecentOnCards(turn, message, settings, [user]);
    const reason = currentSkipReason("wallet", recipient, { source: sourceOf(turn), settings, recent });
    return reason === null ? markClaimed(held, now) : withEndStatus(held, "SKIPPED", reason, now);
  }
}

/** The deliveries of a run's message to wallets that have a status. */
function* readRunDeliveries(
  turn: RunMessageContext,
  status: "PENDING" | "SENDING",
): Step<StoredMessageDelivery[]> {
  return (yield* onWallets(turn, status)).filter(({ actionIndex }) => actionIndex === turn.index);
}

/** The deliveries of all messages of a run to wallets that have a status. */
function* onWallets(
  { tenant, tx, run, user }: CustomerRun,
  status: "PENDING" | "SENDING",
): Step<StoredMessageDelivery[]> {
  const query = { status, page: 0, size: PAGE };
  const { items } = yield* tx.messageDeliveriesOf(tenant.organizationId, { userId: user.id }, query);
  return items.filter((each) => each.automationRunId === run.id && each.channel === "wallet");
}

function sourceOf({ run, index }: RunMessageContext): DeliverySource {
  return { kind: "automation", messageId: null, automationRunId: run.id, actionIndex: index };
}

function idOf({ run, index }: RunMessageContext): string {
  return formatRunMessageId({ automationRunId: run.id, actionIndex: index });
}

/** Returns when deliveries to cards go on. */
function findNextCheck(deliveries: readonly StoredMessageDelivery[]): number | null {
  return earliest(
    deliveries.map(({ channel, status, nextAttemptAt, expiresAt }) => {
      if (channel !== "wallet") return null;
      if (status === "PENDING") return nextAttemptAt ?? expiresAt;
      return status === "SENDING" ? expiresAt : null;
    }),
  );
}

function earliest(times: readonly (number | null)[]): number | null {
  const some = times.filter((time) => time !== null);
  return some.length === 0 ? null : Math.min(...some);
}
