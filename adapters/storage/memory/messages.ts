import { compareTexts } from "../../../src/base/values/text.js";
import type { Bitmap } from "../../../src/storage/bitmap.js";
import {
  type MessagePage,
  type MessageQuery,
  type MessageStatus,
  type MessagesWithRecipient,
  messageJobs,
  messageProgress,
  messageRecord,
  type StoredMessage,
} from "../../../src/storage/messages.js";
import { updated } from "../../../src/storage/record.js";
import { removeJobs } from "./jobs.js";
import { byAge } from "./store/order.js";
import type { OrganizationRows } from "./store/organization-rows.js";
import { freezeRow, requireRow } from "./store/rows.js";
import type { UndoLog } from "./store/undo-log.js";

export function messagesById({ messages }: OrganizationRows, ids: readonly string[]): StoredMessage[] {
  return [...new Set(ids)].sort(compareTexts).flatMap((id) => messages.get(id) ?? []);
}

export function listMessages(
  { messages }: OrganizationRows,
  { status, page, size }: MessageQuery,
): MessagePage {
  const matches = [...messages.values()]
    .filter((each) => status === null || each.status === status)
    .sort((a, b) => byAge(b, a));
  return { items: matches.slice(page * size, (page + 1) * size), total: matches.length };
}

export function messagesWithRecipient(
  { messages }: OrganizationRows,
  part: string,
  after: string,
  limit: number,
): MessagesWithRecipient {
  const matching = [...messages.values()]
    .filter(({ id }) => compareTexts(id, after) > 0)
    .sort((a, b) => compareTexts(a.id, b.id))
    .slice(0, limit);
  return {
    ids: matching.filter(({ audience }) => audience.includes(part)).map(({ id }) => id),
    next: matching.length < limit ? null : (matching.at(-1)?.id ?? null),
  };
}

export function countMessages({ messages }: OrganizationRows, status: MessageStatus): number {
  return [...messages.values()].filter((message) => message.status === status).length;
}

export function messageAudience(
  { messageAudiences }: OrganizationRows,
  messageId: string,
  from: number,
  limit: number,
): number[] {
  return messageAudiences.get(messageId)?.from(from, limit) ?? [];
}

export function insertMessage({ messages }: OrganizationRows, log: UndoLog, message: StoredMessage): void {
  log.add(messages, message.id, freezeMessage(message));
}

export function updateMessage({ messages }: OrganizationRows, log: UndoLog, message: StoredMessage): boolean {
  const previous = messages.get(message.id);
  if (previous === undefined) return false;
  log.set(messages, message.id, freezeMessage(updated(messageRecord, previous, message)));
  return true;
}

export function updateMessageProgress(
  { messages }: OrganizationRows,
  log: UndoLog,
  message: StoredMessage,
): boolean {
  const previous = messages.get(message.id);
  if (previous === undefined) return false;
  const progress = Object.fromEntries(messageProgress.map((name) => [name, message[name]]));
  log.set(messages, message.id, freezeRow({ ...previous, ...progress }));
  return true;
}

export function deleteMessage(rows: OrganizationRows, log: UndoLog, id: string): boolean {
  if (!rows.messages.has(id)) return false;
  removeJobs(rows, log, messageJobs, id);
  log.delete(rows.messageAudiences, id);
  return log.delete(rows.messages, id);
}

export function putMessageAudience(
  { messages, messageAudiences }: OrganizationRows,
  log: UndoLog,
  messageId: string,
  audience: Bitmap,
): void {
  requireRow(messages, messageId);
  if (audience.end > 0) log.add(messageAudiences, messageId, audience);
}

export function removeMessageAudience(
  { messageAudiences }: OrganizationRows,
  log: UndoLog,
  messageId: string,
): void {
  log.delete(messageAudiences, messageId);
}

function freezeMessage(message: StoredMessage): StoredMessage {
  return freezeRow({
    ...message,
    channels: Object.freeze([...message.channels]),
    texts: Object.freeze(message.texts.map((text) => freezeRow(text))),
  });
}
