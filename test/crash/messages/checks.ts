import assert from "node:assert/strict";
import type { LoyaltyEvent, Message, MessageDelivery, Organization } from "loyalty-kit";
import type { ReceivedMail } from "loyalty-kit/testing";
import { deliveryIdOf } from "../mail/senders.js";

const ENDS: readonly Message["status"][] = ["SENT", "CANCELED"];

/** Returns whether a message has ended. @throws if its sums don't add up, or it is sent too early. */
export function isEnded({ id, status, sums }: Message): boolean {
  if (sums === null) return status === "CANCELED";
  const { recipients, pending, sending, accepted, failed, skipped } = sums;
  const numbers = [pending, sending, accepted, failed, ...Object.values(skipped)];
  assert.equal(
    numbers.reduce((sum, count) => sum + count, 0),
    recipients,
    `the sums of ${id} are wrong`,
  );
  assert(Math.min(...numbers) >= 0, `a sum of ${id} is below zero`);
  if (status === "SENT") assert.equal(pending + sending, 0, `${id} is sent too early`);
  return ENDS.includes(status) && pending + sending === 0;
}

/** Compares an ended message with its deliveries, and these with the received mails. */
export function checkEnd(
  message: Message,
  deliveries: readonly MessageDelivery[],
  mails: ReadonlyMap<string, readonly ReceivedMail[]>,
  erasedCount: number,
): void {
  const { id, status, sums } = message;
  assert(isEnded(message), `${id} has not ended`);
  assert(sums !== null || deliveries.length === 0, `${id} has deliveries before it begins`);
  if (sums === null) return;
  const countDeliveries = (is: (delivery: MessageDelivery) => boolean) => deliveries.filter(is).length;
  // Erased customers still count, and so do customers who weren't reached.
  const differences = [
    sums.accepted - countDeliveries((each) => each.status === "ACCEPTED"),
    sums.failed - countDeliveries((each) => each.status === "FAILED"),
  ];
  for (const [reason, skipped] of Object.entries(sums.skipped)) {
    const missing = skipped - countDeliveries((each) => each.status === "SKIPPED" && each.reason === reason);
    if (reason === "canceled") assert(missing >= 0, `${id} has too many that are canceled`);
    else differences.push(missing);
  }
  assert(Math.min(...differences) >= 0, `the sums of ${id} are below its rows`);
  const missing = differences.reduce((sum, each) => sum + each, 0);
  assert(missing <= erasedCount, `${missing} rows of ${id} are missing`);
  assert.equal(countDeliveries(isOpen), 0, `${id} has ended, and a delivery has not`);
  assert.equal(
    new Set(deliveries.map(({ userId }) => userId)).size,
    deliveries.length,
    "there is one delivery per customer",
  );
  for (const delivery of deliveries) {
    const receivedMails = mails.get(delivery.id) ?? [];
    const say = `${delivery.id} of ${id}, ${delivery.status} ${delivery.reason}`;
    assert(status === "CANCELED" || delivery.reason !== "canceled", say);
    assert.notEqual(delivery.status, "FAILED", say);
    if (delivery.status === "ACCEPTED") assert(receivedMails.length > 0, `${say}, has no mail`);
    if (receivedMails.length > 1 || (receivedMails.length > 0 && delivery.status === "SKIPPED"))
      assert(delivery.isUncertain, `${say}, has ${receivedMails.length} mails that nobody knows of`);
  }
}

function isOpen({ status }: MessageDelivery): boolean {
  return status === "PENDING" || status === "SENDING";
}

/** Checks that each message was reported once as begun and once as ended, with its final sums. */
export async function checkEvents({ events }: Organization, messages: readonly Message[]): Promise<void> {
  const eventsByMessage = new Map<string, LoyaltyEvent[]>();
  for (let after = "0"; ; ) {
    const { content, next } = await events.list({ after, limit: 1_000 });
    for (const event of content) {
      if (!event.type.startsWith("message.") || !("sums" in event.data)) continue;
      eventsByMessage.set(event.data.id, [...(eventsByMessage.get(event.data.id) ?? []), event]);
    }
    if (next === after) break;
    after = next;
  }
  for (const { id, status, sums } of messages) {
    const messageEvents = eventsByMessage.get(id) ?? [];
    const end = status === "SENT" ? "message.completed" : "message.canceled";
    const expected = sums === null ? [end] : ["message.started", end];
    assert.deepEqual(
      messageEvents.map(({ type }) => type),
      expected,
      `${id} has these events`,
    );
    const last = messageEvents.at(-1)?.data;
    if (last !== undefined && "sums" in last)
      assert.deepEqual(last.sums, sums, `${id} ended with other sums`);
  }
}

export function groupByDelivery(
  mails: readonly ReceivedMail[],
): ReadonlyMap<string, readonly ReceivedMail[]> {
  const groups = new Map<string, ReceivedMail[]>();
  for (const mail of mails) groups.set(deliveryIdOf(mail), [...(groups.get(deliveryIdOf(mail)) ?? []), mail]);
  return groups;
}
