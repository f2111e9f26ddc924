import type { LoyaltyService } from "loyalty-kit";
import { runStep } from "../../../src/base/concurrency/step.js";
import type { StoredMessage } from "../../../src/storage/messages.js";
import { messageJobs } from "../../../src/storage/messages.js";
import type { Scene } from "./checks.js";
import type { Entry } from "./ledger.js";
import { parseSkipped } from "./message-rules.js";

/** Maximum time in milliseconds from a worker's claim until it sends the mail; later it doesn't send it. */
const BEGIN_WITHIN = 5_000;
const DAY = 24 * 60 * 60_000;

/** Checks the results of messages against the guarantees. */
export async function findMessageFaults(scene: Scene, loyalty: LoyaltyService): Promise<string[]> {
  const wrong: string[] = [];
  const organizationIds = new Set(scene.customers.map(({ organizationId }) => organizationId));
  for (const organizationId of organizationIds) {
    const messages = await listAllMessages(scene, organizationId);
    const eventsByMessage = await listMessageEvents(loyalty, organizationId);
    for (const message of messages) {
      const entries = [...scene.entries.values()].filter(({ delivery }) => delivery.messageId === message.id);
      wrong.push(...findUnendedFaults(scene, message), ...findCountFaults(message, entries));
      const events = [...(eventsByMessage.get(message.id) ?? [])].join();
      if (!listExpectedEnds(message).includes(events))
        wrong.push(`${message.id}, ${message.status}, told ${events}`);
    }
  }
  const waiting = await runStep(
    scene.storage.all.queuesWithDueJobs(messageJobs, scene.now + 1_000 * DAY, 100),
  );
  if (waiting.length > 0) wrong.push(`messages of ${waiting} wait for ever`);
  return [...wrong, ...findUnwantedMails(scene)];
}

async function listAllMessages(
  { storage }: Scene,
  organizationId: string,
): Promise<readonly StoredMessage[]> {
  const query = { status: null, page: 0, size: 1_000 };
  return (await runStep(storage.reader(organizationId).listMessages(query))).items;
}

async function listMessageEvents(
  loyalty: LoyaltyService,
  organizationId: string,
): Promise<Map<string, string[]>> {
  const eventsByMessage = new Map<string, string[]>();
  for (let after = "0"; ; ) {
    const { content, next } = await loyalty.organization(organizationId).events.list({ after, limit: 1_000 });
    for (const { type, data } of content) {
      if (!type.startsWith("message.") || !("sums" in data)) continue;
      eventsByMessage.set(data.id, [...(eventsByMessage.get(data.id) ?? []), type.slice("message.".length)]);
    }
    if (next === after) return eventsByMessage;
    after = next;
  }
}

/** Returns the event sequences that a message in this state may have. */
function listExpectedEnds({ status, startedAt }: StoredMessage): readonly string[] {
  if (status === "SENT") return ["started,completed"];
  if (status === "CANCELED") return [startedAt === null ? "canceled" : "started,canceled"];
  return [""];
}

/** Checks that every message that was to be sent has ended. */
function findUnendedFaults({ acknowledged }: Scene, { id, status, isSettled }: StoredMessage): string[] {
  const isSent = acknowledged.messages.has(id);
  const wrong: string[] = [];
  if (isSent && status === "DRAFT") wrong.push(`${id} was to be sent, and is a draft`);
  if (status === "SCHEDULED" || status === "SENDING") wrong.push(`${id} is ${status} for ever`);
  if (status !== "DRAFT" && !isSettled) wrong.push(`${id} is ${status}, and has not ended`);
  if (acknowledged.canceledMessages.has(id) && status !== "CANCELED") wrong.push(`${id} is ${status}`);
  return wrong;
}

/** Checks that the sums of a message count all deliveries that were ever created. */
function findCountFaults(message: StoredMessage, entries: readonly Entry[]): string[] {
  const { id, recipients, accepted, failed } = message;
  const model = new Map<string, number>();
  for (const { delivery, isErased } of entries) {
    const { status, reason } = delivery;
    const isOpen = status === "PENDING" || status === "SENDING";
    // Deliveries of erased customers are gone, but still counted.
    const end = isErased && isOpen ? "customer_deleted" : status === "SKIPPED" ? (reason ?? "") : status;
    model.set(end, (model.get(end) ?? 0) + 1);
  }
  const wrong: string[] = [];
  const takeCount = (end: string) => {
    const count = model.get(end) ?? 0;
    model.delete(end);
    return count;
  };
  if (takeCount("ACCEPTED") !== accepted) wrong.push(`${id} has other mails than ${accepted}`);
  if (takeCount("FAILED") !== failed) wrong.push(`${id} has other failures than ${failed}`);
  let unmade = recipients - entries.length;
  for (const [reason, count] of Object.entries(parseSkipped(message))) {
    const rest = count - takeCount(reason);
    const mayBeUnmade = ["customer_deleted", "canceled", "expired"].includes(reason);
    if (rest < 0 || (rest > 0 && !mayBeUnmade)) wrong.push(`${id} has ${rest} more that are ${reason}`);
    unmade -= rest;
  }
  if (unmade !== 0) wrong.push(`${id} misses ${unmade}`);
  if (model.size > 0) wrong.push(`${id} does not count ${[...model.keys()]}`);
  const customers = new Set(entries.map(({ delivery }) => delivery.userId));
  if (customers.size !== entries.length) wrong.push(`${id} is sent twice to somebody`);
  return wrong;
}

/**
 * Checks that no message is sent after the customer unsubscribed or the message was canceled, unless it was claimed
 * before.
 */
function findUnwantedMails({ sent, entries, acknowledged }: Scene): string[] {
  const wrong: string[] = [];
  const { endedMessages, canceledMessages } = acknowledged;
  for (const { id, at } of sent) {
    const delivery = entries.get(id)?.delivery;
    if (delivery === undefined || delivery.kind !== "message") continue;
    const endedAt = endedMessages.get(delivery.userId) ?? at;
    const canceled = canceledMessages.get(delivery.messageId ?? "") ?? at;
    if (at > endedAt + BEGIN_WITHIN) wrong.push(`${id} came at ${at}, and messages were ended at ${endedAt}`);
    if (at > canceled + BEGIN_WITHIN) wrong.push(`${id} came at ${at}, and was canceled at ${canceled}`);
  }
  return wrong;
}
