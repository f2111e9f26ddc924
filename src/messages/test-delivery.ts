import type { Step } from "../base/concurrency/step.js";
import { DAY_MS, HOUR_MS } from "../base/values/clock.js";
import type { Change } from "../kernel/tenant.js";
import type { StoredMessageDelivery } from "../storage/mail.js";
import type { StoredMessage } from "../storage/messages.js";
import type { StoredUser } from "../storage/users.js";
import { DeliveryTally } from "./delivery-tally.js";
import type { MessageContext } from "./message-context.js";
import { removeFromCards } from "./message-end.js";
import { scheduleMessage } from "./message-sending.js";
import { type Recipient, readRecipients } from "./recipient-facts.js";
import { chooseChannels, type RecipientFacts, type SkipReason } from "./recipients.js";
import { buildDelivery, insertDeliveries, showOnCards } from "./send-batch.js";
import type { MessageChannel } from "./subscription-schema.js";

/** How long cards show a test, in milliseconds. */
const DISPLAY_MS = HOUR_MS;

/** How long an email test is retried, in milliseconds. */
const MAX_SEND_MS = DAY_MS;

/** Returns why a test can't reach the user on a channel, or `null` if it can. Ignores consent. */
export function findTestSkipReason(
  channel: MessageChannel,
  { hasAddress, hasWallet, subscription }: Pick<RecipientFacts, "hasAddress" | "hasWallet" | "subscription">,
): SkipReason | null {
  if (channel === "wallet") return hasWallet ? null : "no_wallet";
  if (!hasAddress) return "no_address";
  return (subscription?.suppressedReason ?? null) === null ? null : "suppressed";
}

/**
 * Sends a message that hasn't started to one customer as a test, in the caller's transaction. Uses the first of the message's
 * channels that reaches the customer. Tests aren't included in the message's delivery counts.
 * @returns the delivery, which is skipped if no channel reaches the customer.
 */
export function* queueTest(
  change: Change,
  message: StoredMessage,
  user: StoredUser,
): Step<StoredMessageDelivery> {
  const { tenant, tx } = change;
  const now = tenant.now();
  const context: MessageContext = { ...change, now };
  const [recipient] = yield* readRecipients(tx, message, [user]);
  const delivery = buildTestDelivery(context, message, recipient ?? toUnreachable(user));
  const passIds = delivery.status === "SENDING" ? (recipient?.passIdsInWallets ?? []) : [];
  const newDeliveries = [{ delivery, passIds }];
  yield* insertDeliveries(context, newDeliveries);
  if (passIds.length === 0) return delivery;
  const changes = new DeliveryTally(now);
  const shownUntil = now + DISPLAY_MS;
  yield* showOnCards(context, { id: message.id, shownUntil }, newDeliveries, changes);
  yield* changes.write(change);
  // A message scheduled for an earlier time still begins on time.
  const at = message.status === "SCHEDULED" ? Math.min(message.sendAt ?? now, shownUntil) : shownUntil;
  yield* scheduleMessage(tx, message.id, at, now);
  return delivery;
}

function buildTestDelivery({ tenant, now }: MessageContext, message: StoredMessage, recipient: Recipient) {
  const findReason = (channel: MessageChannel) => findTestSkipReason(channel, recipient);
  const [{ channel, reason } = { channel: "email", reason: "no_address" } as const] = chooseChannels(
    "first_reachable",
    message.channels,
    findReason,
  );
  const source = { kind: "test", messageId: message.id, automationRunId: null, actionIndex: null } as const;
  const endsAt = now + (channel === "wallet" ? DISPLAY_MS : MAX_SEND_MS);
  return buildDelivery(tenant, { source, endsAt, heldUntil: now, recipient, channel, reason, now });
}

function toUnreachable(user: StoredUser): Recipient {
  return {
    user,
    exists: true,
    hasAddress: false,
    hasWallet: false,
    subscription: null,
    passes: [],
    passIdsInWallets: [],
    platforms: new Set(),
  };
}

/** Removes a draft's tests from the cards that show them, in the caller's transaction. Call this before deleting the draft. */
export function* removeTestsFromCards(change: Change, messageId: string): Step<void> {
  const { tenant } = change;
  const context: MessageContext = { ...change, now: tenant.now() };
  while (yield* removeFromCards(context, messageId));
}
