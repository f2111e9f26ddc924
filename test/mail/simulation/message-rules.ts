import type { Step } from "../../../src/base/concurrency/step.js";
import { computeQuietEnd, getQuietHours } from "../../../src/messages/message-times.js";
import { defaultMessageSettings } from "../../../src/messages/settings-schema.js";
import { zoneOf } from "../../../src/settings/schema.js";
import type { StoredMessageDelivery } from "../../../src/storage/mail.js";
import type { StoredMessage } from "../../../src/storage/messages.js";
import type { StorageReader } from "../../../src/storage/storage-adapter.js";

const DAY = 24 * 60 * 60_000;

/** Allowed next statuses of a message. */
const next: Readonly<Record<StoredMessage["status"], readonly StoredMessage["status"][]>> = {
  DRAFT: ["DRAFT", "SCHEDULED", "CANCELED"],
  SCHEDULED: ["SCHEDULED", "SENDING", "SENT", "CANCELED", "EXPIRED"],
  SENDING: ["SENDING", "SENT", "CANCELED"],
  SENT: ["SENT"],
  CANCELED: ["CANCELED"],
  EXPIRED: ["EXPIRED"],
};

/**
 * Whether only messages are skipped for this reason; {@link findDeliveryFaults} checks whether the reason is true.
 */
export function isReasonOfMessages(reason: StoredMessageDelivery["reason"]): boolean {
  return reason !== null && ["canceled", "unsubscribed", "no_consent", "capped"].includes(reason);
}

/** Returns the rule that a change of a message breaks. */
export function findChangeFaults(before: StoredMessage, after: StoredMessage): string[] {
  const wrong: string[] = [];
  const { status, recipients, pending, sending, accepted, failed, uncertain, cursor } = after;
  const skipped = Object.values(parseSkipped(after));
  const numbers = [pending, sending, accepted, failed, ...skipped];
  if (!next[before.status].includes(status)) wrong.push(`went from ${before.status} to ${status}`);
  if (before.isSettled && !after.isSettled) wrong.push("goes on after its end");
  if (numbers.reduce((sum, count) => sum + count, 0) !== recipients) wrong.push("has sums that are wrong");
  if (Math.min(...numbers, uncertain) < 0) wrong.push("has a sum below zero");
  if (before.startedAt !== null && (after.customers !== before.customers || recipients !== before.recipients))
    wrong.push("has other recipients");
  if (cursor < before.cursor) wrong.push("goes back in its audience");
  if (after.isSettled !== (status !== "DRAFT" && status !== "SCHEDULED" && pending + sending === 0))
    wrong.push(`is ${status} with ${pending} and ${sending}, settled: ${after.isSettled}`);
  return wrong;
}

/** Returns the rule that a change of a message's mail breaks, by the rows that its transaction sees. */
export function* findDeliveryFaults(
  reader: StorageReader,
  before: StoredMessageDelivery,
  after: StoredMessageDelivery,
  now: number,
): Step<string[]> {
  const message = yield* reader.findMessage(before.messageId ?? "");
  const subscription = yield* reader.findSubscription(before.userId);
  const settings = (yield* reader.findMessageSettings()) ?? defaultMessageSettings;
  const { capDays, capMessages } = settings;
  const isUnsubscribed = subscription?.emailStatus === "UNSUBSCRIBED";
  const isConfirmed = subscription?.emailSource !== "join" || subscription.emailConfirmedAt !== null;
  const hasConsent = subscription?.emailStatus === "SUBSCRIBED" && isConfirmed;
  const isCanceled = message === null || message.status === "CANCELED";
  const wrong: string[] = [];
  const { status, reason } = after;
  if (status === "SKIPPED" && before.status !== "SKIPPED") {
    if (reason === "canceled" && !isCanceled) wrong.push("is skipped as canceled");
    if (reason === "unsubscribed" && !isUnsubscribed) wrong.push("is skipped as unsubscribed");
    if (reason === "no_consent" && (hasConsent || isUnsubscribed)) wrong.push("is skipped without consent");
    if (reason === "capped" && (capDays === null || message?.respectsCap === false))
      wrong.push("is skipped without a cap");
  }
  const isClaim = status === "SENDING" && (before.status !== status || after.updatedAt !== before.updatedAt);
  if (!isClaim) return wrong;
  if (message?.status !== "SENDING") wrong.push(`is claimed of a message that is ${message?.status}`);
  if (!hasConsent) wrong.push("is claimed for who wants no messages");
  const zone = zoneOf(yield* reader.findSettings());
  if (computeQuietEnd(getQuietHours(settings), zone, now) > now) wrong.push("is claimed in quiet hours");
  if (capDays === null || capMessages === null || message?.respectsCap === false) return wrong;
  const recent = yield* reader.recentMessagesOf([before.userId], now - capDays * DAY);
  const others = new Set(recent.map(({ messageId }) => messageId));
  others.delete(before.messageId);
  if (others.size >= capMessages) wrong.push("is claimed above the cap");
  return wrong;
}

export function parseSkipped({ skipped }: Pick<StoredMessage, "skipped">): Record<string, number> {
  return JSON.parse(skipped);
}
