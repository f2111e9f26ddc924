import type { Step } from "../concurrency/step.js";
import type { Bitmap } from "./bitmap.js";
import { jobColumns, jobKind, type NewJob } from "./jobs.js";
import { boolean, bytes, integer, json, list, oneOf, type RowOf, record, text, time } from "./record.js";
import type { messageChannels } from "./subscriptions.js";

type MessageChannel = (typeof messageChannels)[number];

export const messageStatuses = ["DRAFT", "SCHEDULED", "SENDING", "SENT", "CANCELED", "EXPIRED"] as const;

export const messageOrders = ["each", "first_reachable"] as const;

/** The texts of a message in one language; a part that it does not say is `null`. */
export interface StoredMessageText {
  /** A BCP 47 tag in its canonical form. */
  readonly language: string;
  readonly wallet: string | null;
  readonly subject: string | null;
  readonly text: string | null;
}

/**
 * A message of a shop to its customers, and how far it has come. Its sums are numbers of deliveries, and count rows that were
 * removed since: `recipients` is `pending`, `sending`, `accepted`, `failed` and all of `skipped` at every moment.
 */
export const messageRecord = record("messages", ["id"], {
  id: text(),
  name: text(),
  status: oneOf(...messageStatuses),
  /** Says who gets it, as it was asked for, with users by their own ids. */
  audience: json(),
  templateId: text().nullable(),
  /** In the order in which they are tried. */
  channels: list<MessageChannel>(),
  order: oneOf(...messageOrders),
  texts: list<StoredMessageText>(),
  link: text().nullable(),
  sendAt: time().nullable(),
  /** As it was asked for. */
  expiresAt: time().nullable(),
  /** As it was asked for. */
  showUntil: time().nullable(),
  respectsCap: boolean(),
  startedAt: time().nullable(),
  completedAt: time().nullable(),
  /** No delivery starts after this time; `null` for a draft. */
  endsAt: time().nullable(),
  /** The cards show it until this time; `null` before it has begun, and without the wallet. */
  shownUntil: time().nullable(),
  /** The number of members of the audience. */
  customers: integer(),
  recipients: integer(),
  /** Counts deliveries that are to be made too. */
  pending: integer(),
  sending: integer(),
  accepted: integer(),
  failed: integer(),
  /** An object with the number of deliveries that were skipped, by the reason. */
  skipped: json(),
  /** The number of deliveries that may have arrived although no answer said so. */
  uncertain: integer(),
  /** All members of the audience with a lower ordinal have their deliveries. */
  cursor: integer(),
  /** The message has ended, and its last event is recorded. */
  isSettled: boolean(),
  createdAt: time().fixed(),
  updatedAt: time(),
});

/** The columns that change while a message is sent: all others, which may be long, are written once. */
export const messageProgress = [
  ...(["status", "startedAt", "completedAt", "endsAt", "shownUntil", "customers", "recipients"] as const),
  ...(["pending", "sending", "accepted", "failed", "skipped", "uncertain"] as const),
  ...(["cursor", "isSettled", "updatedAt"] as const),
] as const;

export type StoredMessage = RowOf<typeof messageRecord>;
export type MessageStatus = StoredMessage["status"];
export type MessageOrder = StoredMessage["order"];

/** The ordinals of those that a message goes to, as they were when it began: one chunk of a bitmap, unless it is empty. */
export const messageAudienceRecord = record("messageAudiences", ["messageId", "chunk"], {
  messageId: text().refersTo("messages", "id"),
  chunk: integer(),
  ordinals: bytes(),
});

/** Exists for each organization that has sent a message. */
export const messageQueueRecord = record("messageQueues", [], {
  /** The times of the newest tests, at most 10, oldest first. */
  testTimes: list<number>(),
  createdAt: time().fixed(),
});

export type StoredMessageQueue = RowOf<typeof messageQueueRecord>;

/** Says when there is next something to do with a message. It has one from when it is sent until it has ended. */
export const messageJobRecord = record("messageJobs", ["lane", "messageId"], {
  messageId: text().refersTo("messages", "id"),
  lane: oneOf("message"),
  ...jobColumns,
});

export type StoredMessageJob = RowOf<typeof messageJobRecord>;
export type NewMessageJob = NewJob<StoredMessageJob>;

export const messageJobs = jobKind(messageJobRecord, {
  lane: "lane",
  subject: "messageId",
  queue: messageQueueRecord,
});

export interface MessageQuery {
  /** `null` for any. */
  readonly status: MessageStatus | null;
  /** From 0. */
  readonly page: number;
  readonly size: number;
}

export interface MessagePage {
  readonly items: readonly StoredMessage[];
  /** The number of messages on all pages. */
  readonly total: number;
}

export interface MessageReads {
  findMessage(organizationId: string, id: string): Step<StoredMessage | null>;
  /** The messages of these ids (at most 1,000), by id. */
  messagesById(organizationId: string, ids: readonly string[]): Step<StoredMessage[]>;
  /** A page of messages, newest first: by `createdAt`, then id. */
  listMessages(organizationId: string, query: MessageQuery): Step<MessagePage>;
  /**
   * Looks at the next `limit` messages by id, after `after` (the empty string for the start).
   * @returns the ids of those whose audience contains this exact text, and the id to continue after, `null` at the end.
   */
  messagesWithRecipient(
    organizationId: string,
    part: string,
    after: string,
    limit: number,
  ): Step<MessagesWithRecipient>;
  findMessageQueue(organizationId: string): Step<StoredMessageQueue | null>;
  /** The ordinals of the audience from `from` on, ascending, at most `limit`. */
  messageAudience(organizationId: string, messageId: string, from: number, limit: number): Step<number[]>;
}

export interface MessagesWithRecipient {
  readonly ids: readonly string[];
  readonly next: string | null;
}

/** A job needs an organization with a queue; {@link MessageReads.findMessageQueue} keeps other transactions from its jobs. */
export interface MessageWrites {
  insertMessage(organizationId: string, message: StoredMessage): Step<void>;
  /** Replaces the message; `createdAt` stays. Returns false if there is none. */
  updateMessage(organizationId: string, message: StoredMessage): Step<boolean>;
  /** Replaces the {@link messageProgress} of the message; the rest stays, whatever is given. Returns false if there is none. */
  updateMessageProgress(organizationId: string, message: StoredMessage): Step<boolean>;
  /** Removes the message with its audience and its job; its deliveries stay. Returns false if there is none. */
  deleteMessage(organizationId: string, id: string): Step<boolean>;
  insertMessageQueue(organizationId: string, queue: StoredMessageQueue): Step<void>;
  /** Replaces the queue; `createdAt` stays. Returns false if there is none. */
  updateMessageQueue(organizationId: string, queue: StoredMessageQueue): Step<boolean>;
  /** Keeps the audience of a message that has none. @throws an error if there is no such message. */
  putMessageAudience(organizationId: string, messageId: string, audience: Bitmap): Step<void>;
  /** Removes the audience of a message, if it has one. */
  removeMessageAudience(organizationId: string, messageId: string): Step<void>;
}
