import type { Step } from "../concurrency/step.js";
import type { StoredMessageDelivery } from "../storage/mail.js";
import type { StoredMessage } from "../storage/messages.js";
import type { StoredPass } from "../storage/passes.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import type { StoredSubscription } from "../storage/subscriptions.js";
import type { StoredTemplate } from "../storage/templates.js";
import type { StoredUser } from "../storage/users.js";
import { fillPlaceholders } from "../values/placeholders.js";
import { formatRunMessageId, readRunTexts } from "../wallets/run-message.js";
import { capKeyOf, RecentMessages, readRecentMessages } from "./frequency-cap.js";
import { endEarly, markClaimed, withEndStatus } from "./mail-outcome.js";
import { sendingSettings } from "./message-context.js";
import { chooseText, messagePlaceholderValues } from "./message-texts.js";
import { firstSkipReason } from "./recipients.js";
import { findTestSkipReason } from "./test-delivery.js";

/** A message as one customer gets it by mail: nothing of it is left to be filled in. */
export interface MailedMessage {
  readonly id: string;
  /** The language of subject and text, a BCP 47 tag. */
  readonly language: string;
  readonly subject: string;
  readonly text: string;
  /** `null` has the mail lead to the card. */
  readonly link: string | null;
  readonly isTest: boolean;
}

/** A message of the shop, or one of a run of an automation, as mails say it. */
export type MessageContent = Pick<
  StoredMessage,
  "id" | "status" | "texts" | "link" | "templateId" | "respectsCap"
>;

/** The rows that claims of mails with messages look at, as they are now. */
export interface ClaimedMessages {
  /** By the ids that {@link contentIdOf} gives. */
  readonly byId: ReadonlyMap<string, MessageContent>;
  /** Includes mails claimed in this transaction. */
  readonly recent: RecentMessages;
  /** The first time from now on that is not in quiet hours. */
  readonly quietUntil: number;
}

const noMessages: ClaimedMessages = {
  byId: new Map(),
  recent: new RecentMessages(null, []),
  quietUntil: Number.NEGATIVE_INFINITY,
};

/** Reads what decides whether these mails of messages are sent. */
export function* readClaimedMessages(
  reader: StorageReader,
  organizationId: string,
  deliveries: readonly StoredMessageDelivery[],
  now: number,
): Step<ClaimedMessages> {
  const byId = new Map<string, MessageContent>();
  const ids = new Set(deliveries.flatMap(({ messageId }) => messageId ?? []));
  if (ids.size > 0)
    for (const message of yield* reader.messagesById(organizationId, [...ids])) byId.set(message.id, message);
  for (const { automationRunId, actionIndex } of deliveries) {
    if (automationRunId === null || actionIndex === null) continue;
    const said = yield* readRunTexts(reader, organizationId, { automationRunId, actionIndex });
    const id = formatRunMessageId({ automationRunId, actionIndex });
    if (said !== null) byId.set(id, { ...said, id, status: "SENDING" });
  }
  if (ids.size === 0 && deliveries.every(({ automationRunId }) => automationRunId === null))
    return noMessages;
  const { settings, quietUntil } = yield* sendingSettings(reader, organizationId, now);
  const capped = deliveries.filter(
    (delivery) => delivery.kind !== "test" && byId.get(contentIdOf(delivery) ?? "")?.respectsCap === true,
  );
  const userIds = [...new Set(capped.map(({ userId }) => userId))];
  const recent = yield* readRecentMessages(reader, organizationId, settings, userIds, now);
  return { byId, recent, quietUntil };
}

/** Names what a delivery says; `null` for one that is about a pass alone. */
export function contentIdOf({
  messageId,
  automationRunId,
  actionIndex,
}: Pick<StoredMessageDelivery, "messageId" | "automationRunId" | "actionIndex">): string | null {
  if (automationRunId === null || actionIndex === null) return messageId;
  return formatRunMessageId({ automationRunId, actionIndex });
}

/** Whom a mail with a message is for, and the message. */
export interface MessageMail {
  readonly user: StoredUser | null;
  readonly subscription: StoredSubscription | null;
  /** `null` for one that is deleted. */
  readonly message: MessageContent | null;
}

/**
 * Returns a mail with a message as it is claimed, when nothing keeps it from the customer, and otherwise as it ends or waits. The
 * first reason counts: the customer is deleted, the message is canceled, its time is over, there is no address, it takes no mails,
 * the customer has ended messages, has not agreed to them, or has got as many as there may be.
 */
export function resolveAtClaim(
  delivery: StoredMessageDelivery,
  { user, subscription, message }: MessageMail,
  { recent, quietUntil }: ClaimedMessages,
  now: number,
): StoredMessageDelivery {
  const { kind, expiresAt, userId } = delivery;
  if (user === null) return endEarly(delivery, "customer_deleted", now);
  if (message === null || message.status === "CANCELED") return endEarly(delivery, "canceled", now);
  if (delivery.reason !== null || now >= expiresAt) return endEarly(delivery, "expired", now);
  const isTest = kind === "test";
  // Quiet hours hold what begins; reasons are looked for once it does.
  if (!isTest && quietUntil > now)
    return { ...delivery, nextAttemptAt: Math.min(quietUntil, expiresAt), updatedAt: delivery.updatedAt };
  const facts = { hasAddress: user.email !== null, hasWallet: false, subscription };
  const reason = isTest
    ? findTestSkipReason("email", facts)
    : firstSkipReason("email", {
        ...facts,
        ...{ isThere: true, isCanceled: false, isExpired: false, isWalletDefault: false },
        isCapped: message.respectsCap && recent.isCapped(userId, capKeyOf(delivery)),
      });
  if (reason !== null) return withEndStatus(delivery, "SKIPPED", reason, now);
  if ((delivery.nextAttemptAt ?? now) > now) return delivery;
  if (!isTest && message.respectsCap)
    recent.add({ userId, messageId: capKeyOf(delivery), deliveryId: delivery.id });
  return markClaimed(delivery, now);
}

/** A customer, the template of a message, and a pass of the customer, which may be of another one. */
interface Addressee {
  readonly user: StoredUser;
  readonly template: StoredTemplate | null;
  readonly pass: StoredPass | null;
}

/** Returns what a message says to a customer. */
export function buildMailedMessage(
  { id, texts, link }: MessageContent,
  { kind }: Pick<StoredMessageDelivery, "kind">,
  { user, template, pass }: Addressee,
  language: string | null,
): MailedMessage {
  const text = chooseText(texts, language);
  const card = template !== null && pass?.templateId === template.id ? pass.card : null;
  const values = messagePlaceholderValues(user, template, card);
  return {
    id,
    language: text.language,
    subject: fillPlaceholders(text.subject ?? "", values),
    text: fillPlaceholders(text.text ?? "", values),
    link,
    isTest: kind === "test",
  };
}
