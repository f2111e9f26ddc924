import { compareTexts } from "../../../src/base/values/text.js";
import {
  type MailOwner,
  type MessageDeliveryCursor,
  type MessageDeliveryKind,
  type MessageDeliveryOwner,
  type MessageDeliveryPage,
  type MessageDeliveryQuery,
  type MessageDeliverySelection,
  type MessageDeliveryStatus,
  mailJobs,
  messageDeliveryRecord,
  type OwnedMailQueue,
  type RecentMessage,
  type StoredMessageDelivery,
  type StoredMessageSettings,
} from "../../../src/storage/mail.js";
import { updated } from "../../../src/storage/record.js";
import { findQueue, removeJobs } from "./jobs.js";
import { byAge } from "./store/order.js";
import type { OrganizationRows } from "./store/organization-rows.js";
import { freezeRow } from "./store/rows.js";
import type { Store } from "./store/store.js";
import type { UndoLog } from "./store/undo-log.js";

/** Maximum number of recent emails returned. Callers never need more. */
const MAX_RECENT_MAILS = 100;

export function organizationOfMailToken(store: Store, token: string): { organizationId: string } | null {
  const organizationId = store.findOwner((rows) => findQueue(rows, mailJobs)?.token === token);
  return organizationId === null ? null : { organizationId };
}

export function mailQueuesAfter(store: Store, after: string, limit: number): OwnedMailQueue[] {
  return [...store.all()]
    .flatMap(([organizationId, rows]) => {
      const queue = findQueue(rows, mailJobs);
      return queue !== null && compareTexts(organizationId, after) > 0 ? [{ organizationId, queue }] : [];
    })
    .sort((a, b) => compareTexts(a.organizationId, b.organizationId))
    .slice(0, limit);
}

export function messageDeliveriesById(
  { messageDeliveries }: OrganizationRows,
  ids: readonly string[],
): StoredMessageDelivery[] {
  return [...new Set(ids)].sort(compareTexts).flatMap((id) => messageDeliveries.get(id) ?? []);
}

export function messageDeliveriesOf(
  rows: OrganizationRows,
  owner: MessageDeliveryOwner,
  { status, page, size }: MessageDeliveryQuery,
): MessageDeliveryPage {
  const matches = listNewestFirst(rows, owner).filter((each) => status === null || each.status === status);
  return { items: matches.slice(page * size, (page + 1) * size), total: matches.length };
}

export function recentMailsOf(
  rows: OrganizationRows,
  owner: MailOwner,
  kinds: readonly MessageDeliveryKind[],
  since: number,
): number[] {
  return listNewestFirst(rows, owner)
    .filter(
      ({ kind, status, createdAt }) => kinds.includes(kind) && status !== "SKIPPED" && createdAt > since,
    )
    .map(({ createdAt }) => createdAt)
    .slice(0, MAX_RECENT_MAILS);
}

export function messageDeliveriesWith(
  rows: OrganizationRows,
  messageId: string,
  status: MessageDeliveryStatus,
  after: MessageDeliveryCursor | null,
  limit: number,
): StoredMessageDelivery[] {
  return listNewestFirst(rows, { messageId })
    .reverse()
    .filter((each) => each.status === status && (after === null || byAge(each, after) > 0))
    .slice(0, limit);
}

export function recentMessagesOf(
  { messageDeliveries }: OrganizationRows,
  userIds: readonly string[],
  since: number,
): RecentMessage[] {
  const users = new Set(userIds);
  return [...messageDeliveries.values()]
    .filter((each) => users.has(each.userId) && each.updatedAt > since && mayHaveArrived(each))
    .map(({ id, userId, messageId, automationRunId }) => {
      return { userId, messageId: messageId ?? automationRunId, deliveryId: id };
    });
}

export function pendingMessageDeliveries({ messageDeliveries }: OrganizationRows): number {
  return [...messageDeliveries.values()].filter((each) => each.channel === "email" && isPending(each)).length;
}

export function putMessageSettings(
  rows: OrganizationRows,
  log: UndoLog,
  settings: StoredMessageSettings,
): void {
  const previous = rows.messageSettings;
  const after = freezeRow(settings);
  log.change(
    () => {
      rows.messageSettings = after;
    },
    () => {
      rows.messageSettings = previous;
    },
  );
}

export function insertMessageDeliveries(
  { messageDeliveries, deliveryIdsByMessageKey }: OrganizationRows,
  log: UndoLog,
  deliveries: readonly StoredMessageDelivery[],
): void {
  for (const delivery of deliveries) {
    for (const key of buildMessageKeys(delivery)) log.add(deliveryIdsByMessageKey, key, delivery.id);
    log.add(messageDeliveries, delivery.id, freezeDelivery(delivery));
  }
}

export function updateMessageDeliveries(
  { messageDeliveries }: OrganizationRows,
  log: UndoLog,
  deliveries: readonly StoredMessageDelivery[],
): void {
  for (const delivery of deliveries) {
    const previous = messageDeliveries.get(delivery.id);
    if (previous === undefined) continue;
    log.set(
      messageDeliveries,
      delivery.id,
      freezeDelivery(updated(messageDeliveryRecord, previous, delivery)),
    );
  }
}

export function removeMessageDeliveries(
  rows: OrganizationRows,
  log: UndoLog,
  selection: MessageDeliverySelection,
): number {
  const all = [...rows.messageDeliveries.values()];
  const removable =
    "userId" in selection
      ? all.filter(({ userId }) => userId === selection.userId)
      : all
          .filter((delivery) => delivery.createdAt < selection.before && !isPending(delivery))
          .sort(byAge)
          .slice(0, selection.limit);
  for (const delivery of removable) {
    removeJobs(rows, log, mailJobs, delivery.id);
    for (const key of buildMessageKeys(delivery)) log.delete(rows.deliveryIdsByMessageKey, key);
    log.delete(rows.messageDeliveries, delivery.id);
  }
  return removable.length;
}

function listNewestFirst(
  { messageDeliveries }: OrganizationRows,
  owner: MessageDeliveryOwner,
): StoredMessageDelivery[] {
  return [...messageDeliveries.values()]
    .filter((delivery) => isOwnedBy(delivery, owner))
    .sort((a, b) => byAge(b, a));
}

function isOwnedBy(
  { kind, passId, userId, messageId }: StoredMessageDelivery,
  owner: MessageDeliveryOwner,
): boolean {
  if ("messageId" in owner) return kind === "message" && messageId === owner.messageId;
  return "passId" in owner ? passId === owner.passId : userId === owner.userId;
}

/** Returns a key that identifies a delivery within its message, or an empty list if the delivery belongs to no message. */
function buildMessageKeys({ kind, messageId, userId, channel }: StoredMessageDelivery): string[] {
  return kind === "message" && messageId !== null ? [JSON.stringify([messageId, userId, channel])] : [];
}

function mayHaveArrived({ kind, status, isUncertain }: StoredMessageDelivery): boolean {
  if (kind !== "message" && kind !== "automation") return false;
  return status === "ACCEPTED" || status === "SENDING" || (status === "PENDING" && isUncertain);
}

function isPending({ status }: StoredMessageDelivery): boolean {
  return status === "PENDING" || status === "SENDING";
}

function freezeDelivery(delivery: StoredMessageDelivery): StoredMessageDelivery {
  return freezeRow({
    ...delivery,
    attempts: Object.freeze(delivery.attempts.map((attempt) => freezeRow(attempt))),
  });
}
