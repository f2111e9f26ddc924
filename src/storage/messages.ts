import type { Step } from "../base/concurrency/step.js";
import type { Bitmap } from "./bitmap.js";
import { jobColumns, jobKind, type NewJob } from "./jobs.js";
import { boolean, bytes, integer, json, list, oneOf, type RowOf, record, text, time } from "./record.js";
import type { messageChannels } from "./subscriptions.js";

type MessageChannel = (typeof messageChannels)[number];

export const messageStatuses = ["DRAFT", "SCHEDULED", "SENDING", "SENT", "CANCELED", "EXPIRED"] as const;

export const messageOrders = ["each", "first_reachable"] as const;

/** A message's text in one language: the subject and body of the email, and the text on cards. Missing parts are `null`. */
export interface StoredMessageText {
  /** The language, as a canonical BCP 47 tag. */
  readonly language: string;
  /** The text to show on cards, or `null` if there is none. */
  readonly wallet: string | null;
  /** The email's subject, or `null` if there is none. */
  readonly subject: string | null;
  /** The email's body, or `null` if there is none. */
  readonly text: string | null;
}

/**
 * A message to an organization's customers, with its progress. The counts include deliveries whose rows have been removed, so
 * `recipients` always equals the sum of `pending`, `sending`, `accepted`, `failed`, and all `skipped` counts.
 */
export const messageRecord = record("messages", ["id"], {
  /** The message's ID, unique within the organization. */
  id: text(),
  /** The name by which staff recognize the message. */
  name: text(),
  /** The message's status. `SENT`, `CANCELED`, and `EXPIRED` are final. */
  status: oneOf(...messageStatuses),
  /** The audience as requested, with users identified by their own IDs. */
  audience: json(),
  /** The ID of the template whose cards show the message and fill in its placeholders, or `null` if there is none. */
  templateId: text().nullable(),
  /** The channels, in the order in which they are tried. */
  channels: list<MessageChannel>(),
  /** Whether the message is sent on each of its channels, or only on the first channel that reaches the customer. */
  order: oneOf(...messageOrders),
  /** The texts, at most one per language. The first one is for customers whose language has no text. */
  texts: list<StoredMessageText>(),
  /** The URL that emails link to, or `null` if there is none. */
  link: text().nullable(),
  /** The requested time to start sending, in milliseconds since the Unix epoch. `null` to start as soon as the draft is sent. */
  sendAt: time().nullable(),
  /** The expiry time from the request. */
  expiresAt: time().nullable(),
  /** The time from the request until which cards should show the message. */
  showUntil: time().nullable(),
  /** True if customers who have reached the frequency cap don't receive the message. */
  respectsCap: boolean(),
  /** When sending began, in milliseconds since the Unix epoch. `null` until then, and if the message ended before then. */
  startedAt: time().nullable(),
  /**
   * When the message ended, in milliseconds since the Unix epoch. `null` until then. A message that has started ends when its last
   * delivery ends.
   */
  completedAt: time().nullable(),
  /** The time after which no delivery starts, or `null` for a draft. */
  endsAt: time().nullable(),
  /** The time until which cards show the message. `null` before the message has started, or if it isn't sent to wallets. */
  shownUntil: time().nullable(),
  /** The number of customers in the audience. */
  customers: integer(),
  /** Number of deliveries, including deliveries that have yet to be created. 0 until the message starts. */
  recipients: integer(),
  /** Number of pending deliveries, including deliveries that have yet to be created. */
  pending: integer(),
  /** Number of deliveries in progress. */
  sending: integer(),
  /** Number of deliveries that a mail server or wallet accepted. */
  accepted: integer(),
  /** Number of deliveries that failed. */
  failed: integer(),
  /** A JSON object with the number of skipped deliveries for each reason. */
  skipped: json(),
  /** Number of deliveries that may have arrived, although no response confirmed it. */
  uncertain: integer(),
  /** Deliveries have been created for all audience members whose ordinal is lower than this one. */
  cursor: integer(),
  /** True once the message has ended and its final event is recorded. */
  isSettled: boolean(),
  /** When the message was created, in milliseconds since the Unix epoch. */
  createdAt: time().fixed(),
  /** When the message last changed, in milliseconds since the Unix epoch. */
  updatedAt: time(),
});

/**
 * The columns that change while a message is being sent. Updating only these columns avoids rewriting the others, which can be
 * long.
 */
export const messageProgress = [
  ...(["status", "startedAt", "completedAt", "endsAt", "shownUntil", "customers", "recipients"] as const),
  ...(["pending", "sending", "accepted", "failed", "skipped", "uncertain"] as const),
  ...(["cursor", "isSettled", "updatedAt"] as const),
] as const;

export type StoredMessage = RowOf<typeof messageRecord>;
export type MessageStatus = StoredMessage["status"];
export type MessageOrder = StoredMessage["order"];

/**
 * The ordinals of the users in a message's audience, which doesn't change once the message has started. Each row holds one
 * non-empty chunk of a bitmap.
 */
export const messageAudienceRecord = record("messageAudiences", ["messageId", "chunk"], {
  messageId: text().refersTo("messages", "id"),
  chunk: integer(),
  ordinals: bytes(),
});

/** An organization's message queue. Exists only if the organization has sent a message. */
export const messageQueueRecord = record("messageQueues", [], {
  /** The times of the most recent test sends, at most 10, oldest first. */
  testTimes: list<number>(),
  /** When the queue was created, in milliseconds since the Unix epoch. */
  createdAt: time().fixed(),
});

export type StoredMessageQueue = RowOf<typeof messageQueueRecord>;

/** A job that schedules a message's next step. It exists from the time the message is sent until the message ends. */
export const messageJobRecord = record("messageJobs", ["lane", "messageId"], {
  /** The ID of the message whose next step is scheduled. */
  messageId: text().refersTo("messages", "id"),
  /** Always `message`, because message jobs have only one lane. */
  lane: oneOf("message"),
  ...jobColumns,
});

export type StoredMessageJob = RowOf<typeof messageJobRecord>;
export type NewMessageJob = NewJob<StoredMessageJob>;

export const messageJobs = jobKind(messageJobRecord, {
  lane: "lane",
  subject: "messageId",
  queue: messageQueueRecord,
  isLockedAlone: false,
});

export interface MessageQuery {
  /** The status to filter by, or `null` for any status. */
  readonly status: MessageStatus | null;
  /** The zero-based page number. */
  readonly page: number;
  /** Maximum number of messages per page. */
  readonly size: number;
}

export interface MessagePage {
  /** The messages on this page, newest first. */
  readonly items: readonly StoredMessage[];
  /** The total number of messages on all pages. */
  readonly total: number;
}

export interface MessageReads {
  /** Finds a message by its ID, regardless of its status. Returns `null` if there is none. */
  findMessage(id: string): Step<StoredMessage | null>;
  /** Returns the messages with these IDs (at most 1,000), sorted by ID. */
  messagesById(ids: readonly string[]): Step<StoredMessage[]>;
  /** Returns a page of messages, sorted by `createdAt` (newest first), then by ID in descending order. */
  listMessages(query: MessageQuery): Step<MessagePage>;
  /**
   * Searches the next `limit` messages after the ID `after`, in ID order, for messages whose audience JSON contains the string
   * `part` verbatim. Pass the empty string as `after` to start from the beginning.
   * @returns the IDs of the matching messages, and the ID to continue after, or `null` at the end.
   */
  messagesWithRecipient(part: string, after: string, limit: number): Step<MessagesWithRecipient>;
  /** Lists up to `limit` ordinals from a message's audience, in ascending order, starting at `from` (inclusive). */
  messageAudience(messageId: string, from: number, limit: number): Step<number[]>;
}

export interface MessagesWithRecipient {
  /** The IDs of the matching messages, in ascending order. */
  readonly ids: readonly string[];
  /** The ID to pass as `after` in the next call, or `null` if all messages have been searched. */
  readonly next: string | null;
}

/**
 * Write operations for messages and their jobs. Jobs can be stored only after the organization's queue has been created.
 */
export interface MessageWrites {
  /** Adds a message. Its ID must be unused. */
  insertMessage(message: StoredMessage): Step<void>;
  /** Replaces the stored message with the same ID, but keeps its `createdAt`. Returns `false` if there is no such message. */
  updateMessage(message: StoredMessage): Step<boolean>;
  /** Updates only the message's {@link messageProgress} columns. Returns `false` if there is no such message. */
  updateMessageProgress(message: StoredMessage): Step<boolean>;
  /** Removes a message, its audience, and its job. Its deliveries stay in storage. Returns `false` if there is no such message. */
  deleteMessage(id: string): Step<boolean>;
  /**
   * Stores a message's audience. The message must not have an audience yet.
   * @throws an error if there is no such message.
   */
  putMessageAudience(messageId: string, audience: Bitmap): Step<void>;
  /** Removes a message's audience, if it has one. */
  removeMessageAudience(messageId: string): Step<void>;
}
