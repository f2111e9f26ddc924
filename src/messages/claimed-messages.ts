import type { Step } from "../base/concurrency/step.js";
import { fillPlaceholders } from "../base/values/placeholders.js";
import type { PointCard } from "../points/schema.js";
import type { StoredMessageDelivery } from "../storage/mail.js";
import type { StoredMessage } from "../storage/messages.js";
import type { StoredPass } from "../storage/passes.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import type { StoredSubscription } from "../storage/subscriptions.js";
import type { StoredTemplate } from "../storage/templates.js";
import type { StoredUser } from "../storage/users.js";
import { formatRunMessageId, readRunMessage } from "../wallets/shown-message.js";
import { getCapKey, RecentMessages, readRecentMessages } from "./frequency-cap.js";
import { endEarly, markClaimed, withEndStatus } from "./mail-outcome.js";
import { readSendingSettings } from "./message-context.js";
import { findSkipReason } from "./recipients.js";
import { findTestSkipReason } from "./test-delivery.js";
import { buildPlaceholderValues, chooseText } from "./text-schema.js";

/** A message to be emailed to one customer, with all placeholders filled in. */
export interface MailedMessage {
  readonly id: string;
  /** The language of the subject and body, as a BCP 47 tag. */
  readonly language: string;
  readonly subject: string;
  readonly text: string;
  /** The URL that the email links to, or `null` if it links to the card. */
  readonly link: string | null;
  readonly isTest: boolean;
}

/** The parts of a message needed for its emails. The message can be an organization's campaign or belong to an automation run. */
export type MessageContent = Pick<
  StoredMessage,
  "id" | "status" | "texts" | "link" | "templateId" | "respectsCap"
>;

/** The data that determines whether claimed message emails can still be sent. */
export interface ClaimedMessages {
  /** Message contents, keyed by the ID that {@link getContentId} returns. */
  readonly byId: ReadonlyMap<string, MessageContent>;
  /** The recent messages that count toward the frequency cap. They include the emails that were claimed in this transaction. */
  readonly recentMessages: RecentMessages;
  /** When the current quiet hours end, in milliseconds since the Unix epoch. Outside quiet hours, this is the current time. */
  readonly quietUntil: number;
}

const noMessages: ClaimedMessages = {
  byId: new Map(),
  recentMessages: new RecentMessages(null, []),
  quietUntil: Number.NEGATIVE_INFINITY,
};

export function* readClaimedMessages(
  reader: StorageReader,
  deliveries: readonly StoredMessageDelivery[],
  now: number,
): Step<ClaimedMessages> {
  const byId = new Map<string, MessageContent>();
  const ids = new Set(deliveries.flatMap(({ messageId }) => messageId ?? []));
  if (ids.size > 0) for (const message of yield* reader.messagesById([...ids])) byId.set(message.id, message);
  for (const { automationRunId, actionIndex } of deliveries) {
    if (automationRunId === null || actionIndex === null) continue;
    const texts = yield* readRunMessage(reader, { automationRunId, actionIndex });
    const id = formatRunMessageId({ automationRunId, actionIndex });
    if (texts !== null) byId.set(id, { ...texts, id, status: "SENDING" });
  }
  if (ids.size === 0 && deliveries.every(({ automationRunId }) => automationRunId === null))
    return noMessages;
  const { settings, quietUntil } = yield* readSendingSettings(reader, now);
  const cappedDeliveries = deliveries.filter(
    (delivery) => delivery.kind !== "test" && byId.get(getContentId(delivery) ?? "")?.respectsCap === true,
  );
  const userIds = [...new Set(cappedDeliveries.map(({ userId }) => userId))];
  const recentMessages = yield* readRecentMessages(reader, settings, userIds, now);
  return { byId, recentMessages, quietUntil };
}

/**
 * Returns the ID of the delivery's message content in {@link ClaimedMessages.byId}, or `null` if the delivery is about a pass and
 * contains no message.
 */
export function getContentId({
  messageId,
  automationRunId,
  actionIndex,
}: Pick<StoredMessageDelivery, "messageId" | "automationRunId" | "actionIndex">): string | null {
  if (automationRunId === null || actionIndex === null) return messageId;
  return formatRunMessageId({ automationRunId, actionIndex });
}

export interface MessageMailRows {
  readonly user: StoredUser | null;
  readonly subscription: StoredSubscription | null;
  /** The message's content, or `null` if the message has been deleted. */
  readonly message: MessageContent | null;
}

/**
 * Decides whether a message's email can still be sent when its delivery is claimed. If so, returns the delivery marked as claimed.
 * Otherwise, returns it marked as waiting or ended.
 *
 * A delivery ends for the first reason that applies: the customer was deleted, the message was canceled or has expired, the
 * customer has no address, the address is suppressed, or the customer has unsubscribed, hasn't consented, or has reached the
 * frequency cap.
 */
export function resolveAtClaim(
  delivery: StoredMessageDelivery,
  { user, subscription, message }: MessageMailRows,
  { recentMessages: recent, quietUntil }: ClaimedMessages,
  now: number,
): StoredMessageDelivery {
  const { kind, expiresAt, userId } = delivery;
  if (user === null) return endEarly(delivery, "customer_deleted", now);
  if (message === null || message.status === "CANCELED") return endEarly(delivery, "canceled", now);
  if (delivery.reason !== null || now >= expiresAt) return endEarly(delivery, "expired", now);
  const isTest = kind === "test";
  // Quiet hours only hold the delivery; reasons for skipping it are checked when quiet hours end.
  if (!isTest && quietUntil > now)
    return { ...delivery, nextAttemptAt: Math.min(quietUntil, expiresAt), updatedAt: delivery.updatedAt };
  const facts = { hasAddress: user.email !== null, hasWallet: false, subscription };
  const reason = isTest
    ? findTestSkipReason("email", facts)
    : findSkipReason("email", {
        ...facts,
        ...{ exists: true, isCanceled: false, isExpired: false, isWalletDefault: false },
        isCapped: message.respectsCap && recent.isCapped(userId, getCapKey(delivery)),
      });
  if (reason !== null) return withEndStatus(delivery, "SKIPPED", reason, now);
  if ((delivery.nextAttemptAt ?? now) > now) return delivery;
  if (!isTest && message.respectsCap)
    recent.add({ userId, messageId: getCapKey(delivery), deliveryId: delivery.id });
  return markClaimed(delivery, now);
}

/** A customer, the message's template, and one of the customer's passes, which may belong to another template. */
interface MessageRecipient {
  readonly user: StoredUser;
  readonly template: StoredTemplate | null;
  readonly pass: StoredPass | null;
  /** The points on the pass, or `null` if it has none. */
  readonly pointCard: PointCard | null;
}

/** Builds the content of a message's email to one customer, in their language and with all placeholders filled in. */
export function buildMailedMessage(
  { id, texts, link }: MessageContent,
  { kind }: Pick<StoredMessageDelivery, "kind">,
  { user, template, pass, pointCard }: MessageRecipient,
  language: string | null,
): MailedMessage {
  const text = chooseText(texts, language);
  const matchesTemplate = template !== null && pass?.templateId === template.id;
  const [card, points] = matchesTemplate ? [pass.card, pointCard] : [null, null];
  const values = buildPlaceholderValues(user.name, template, card, points);
  return {
    id,
    language: text.language,
    subject: fillPlaceholders(text.subject ?? "", values, text.language),
    text: fillPlaceholders(text.text ?? "", values, text.language),
    link,
    isTest: kind === "test",
  };
}
