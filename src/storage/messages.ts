import type { Step } from "../concurrency/step.js";
import type { Bitmap } from "./bitmap.js";
import { jobColumns, jobKind, type NewJob } from "./jobs.js";
import { boolean, bytes, integer, json, list, oneOf, type RowOf, record, text, time } from "./record.js";
import type { messageChannels } from "./subscriptions.js";

type MessageChannel = (typeof messageChannels)[number];

export const messageStatuses = ["DRAFT", "SCHEDULED", "SENDING", "SENT", "CANCELED", "EXPIRED"] as const;

export const messageOrders = ["each", "first_reachable"] as const;

/** The texts of a message in one language; missing parts are `null`. */
export interface StoredMessageText {
  /** A canonical BCP 47 tag. */
  readonly language: string;
  readonly wallet: string | null;
  readonly subject: string | null;
  readonly text: string | null;
}

/**
 * A message to an organization's customers, with its progress. Its totals count deliveries, including rows that were removed since:
 * `recipients` always equals the sum of `pending`, `sending`, `accepted`, `failed` and all `skipped` counts.
 */
export const messageRecord = record("messages", ["id"], {
  id: text(),
  name: text(),
  status: oneOf(...messageStatuses),
  /** The audience as requested, with users identified by their own ids. */
  audience: json(),
  templateId: text().nullable(),
  /** The channels, in the order in which they are tried. */
  channels: list<MessageChannel>(),
  order: oneOf(...messageOrders),
  texts: list<StoredMessageText>(),
  link: text().nullable(),
  sendAt: time().nullable(),
  /** As requested. */
  expiresAt: time().nullable(),
  /** As requested. */
  showUntil: time().nullable(),
  respectsCap: boolean(),
  startedAt: time().nullable(),
  completedAt: time().nullable(),
  /** No delivery starts after this time; `null` for a draft. */
  endsAt: time().nullable(),
  /** Cards show the message until this time; `null` before it has started, and if it isn't sent to wallets. */
  shownUntil: time().nullable(),
  /** The number of customers in the audience. */
  customers: integer(),
  recipients: integer(),
  /** Includes deliveries that have yet to be created. */
  pending: integer(),
  sending: integer(),
  accepted: integer(),
  failed: integer(),
  /** An object with the number of skipped deliveries for each reason. */
  skipped: json(),
  /** The number of deliveries that may have arrived, although no response confirmed it. */
  uncertain: integer(),
  /** Deliveries have been created for all members of the audience with a lower ordinal. */
  cursor: integer(),
  /** True once the message has ended and its last event is recorded. */
  isSettled: boolean(),
  createdAt: time().fixed(),
  updatedAt: time(),
});

/** The columns that change while a message is being sent. All other columns, which may be long, are written once. */
export const messageProgress = [
  ...(["status", "startedAt", "completedAt", "endsAt", "shownUntil", "customers", "recipients"] as const),
  ...(["pending", "sending", "accepted", "failed", "skipped", "uncertain"] as const),
  ...(["cursor", "isSettled", "updatedAt"] as const),
] as const;

export type StoredMessage = RowOf<typeof messageRecord>;
export type MessageStatus = StoredMessage["status"];
export type MessageOrder = StoredMessage["order"];

/** The ordinals of a message's audience, fixed when the message started: one row per non-empty chunk of a bitmap. */
export const messageAudienceRecord = record("messageAudiences", ["messageId", "chunk"], {
  messageId: text().refersTo("messages", "id"),
  chunk: integer(),
  ordinals: bytes(),
});

/** Exists for each organization that has sent a message. */
export const messageQueueRecord = record("messageQueues", [], {
  /** The times of the most recent test sends, at most 10, oldest first. */
  testTimes: list<number>(),
  createdAt: time().fixed(),
});

export type StoredMessageQueue = RowOf<typeof messageQueueRecord>;

/** Schedules the next step of a message. Exists from when the message is sent until it has ended. */
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
  /** `null` for any status. */
  readonly status: MessageStatus | null;
  /** The page number, from 0. */
  readonly page: number;
  readonly size: number;
}

export interface MessagePage {
  readonly items: readonly StoredMessage[];
  /** The total number of messages on all pages. */
  readonly total: number;
}

export interface MessageReads {
  findMessage(organizationId: string, id: string): Step<StoredMessage | null>;
  /** Returns the messages with these ids (at most 1,000), by id. */
  messagesById(organizationId: string, ids: readonly string[]): Step<StoredMessage[]>;
  /** Returns a page of messages, newest first: by `createdAt`, then id. */
  listMessages(organizationId: string, query: MessageQuery): Step<MessagePage>;
  /**
   * Searches the next `limit` messages by id, after `after` (empty string: from the start).
   * @returns the ids of the messages whose audience contains this exact string, and the id to continue after, which is `null` at
   *   the end.
   */
  messagesWithRecipient(
    organizationId: string,
    part: string,
    after: string,
    limit: number,
  ): Step<MessagesWithRecipient>;
  findMessageQueue(organizationId: string): Step<StoredMessageQueue | null>;
  /** Returns the ordinals of the audience from `from` on, ascending, at most `limit`. */
  messageAudience(organizationId: string, messageId: string, from: number, limit: number): Step<number[]>;
}

export interface MessagesWithRecipient {
  readonly ids: readonly string[];
  readonly next: string | null;
}

/**
 * A job requires that the organization has a queue; {@link MessageReads.findMessageQueue} locks the queue's jobs against other
 * transactions.
 */
export interface MessageWrites {
  insertMessage(organizationId: string, message: StoredMessage): Step<void>;
  /** Replaces the message, except `createdAt`. Returns false if there is none. */
  updateMessage(organizationId: string, message: StoredMessage): Step<boolean>;
  /** Replaces only the {@link messageProgress} columns of the message. Returns false if there is none. */
  updateMessageProgress(organizationId: string, message: StoredMessage): Step<boolean>;
  /** Removes the message with its audience and its job; its deliveries stay. Returns false if there is none. */
  deleteMessage(organizationId: string, id: string): Step<boolean>;
  insertMessageQueue(organizationId: string, queue: StoredMessageQueue): Step<void>;
  /** Replaces the queue, except `createdAt`. Returns false if there is none. */
  updateMessageQueue(organizationId: string, queue: StoredMessageQueue): Step<boolean>;
  /**
   * Stores the audience of a message that has none yet.
   * @throws an error if there is no such message.
   */
  putMessageAudience(organizationId: string, messageId: string, audience: Bitmap): Step<void>;
  /** Removes the audience of a message, if it has one. */
  removeMessageAudience(organizationId: string, messageId: string): Step<void>;
}
