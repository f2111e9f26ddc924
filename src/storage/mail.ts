import type { Step } from "../concurrency/step.js";
import { jobColumns, jobKind, type NewJob } from "./jobs.js";
import { boolean, integer, list, oneOf, type RowOf, record, text, time } from "./record.js";
import { messageChannels } from "./subscriptions.js";

/** An organization's own settings for what it sends. */
export const messageSettingsRecord = record("messageSettings", [], {
  /** The display name for the sender's address. */
  senderName: text().nullable(),
  replyTo: text().nullable(),
  footer: text().nullable(),
  /** The quiet hours during which no message starts, as `HH:MM` times of day; both are `null` if there are none. */
  quietFrom: text().nullable(),
  quietTo: text().nullable(),
  /**
   * The frequency cap: at most `capMessages` messages per customer within `capDays` times 24 hours. Both are `null` without a cap.
   */
  capDays: integer().nullable(),
  capMessages: integer().nullable(),
  /** True if customers who have neither consented nor refused get messages on their cards. */
  isWalletDefault: boolean(),
  updatedAt: time(),
});

export type StoredMessageSettings = RowOf<typeof messageSettingsRecord>;

/** One delivery attempt. */
export interface MessageAttempt {
  /** The time when the attempt started. */
  readonly at: number;
  readonly durationMs: number;
  /** The SMTP or HTTP status code of the response; `null` if there was no response. */
  readonly code: number | null;
  /** The first 200 characters of the response, with addresses removed. */
  readonly answer: string | null;
}

export const messageDeliveryKinds = [
  "pass",
  "link",
  "confirm",
  "sign_in",
  "message",
  "automation",
  "test",
] as const;

export const messageDeliveryStatuses = ["PENDING", "SENDING", "ACCEPTED", "SKIPPED", "FAILED"] as const;

/** The reasons why a delivery was skipped or failed. */
export const messageDeliveryReasons = [
  "no_consent",
  "unsubscribed",
  "no_address",
  "suppressed",
  "no_wallet",
  "capped",
  "canceled",
  "expired",
  "customer_deleted",
  "pass_deleted",
  "replaced",
  "address_refused",
  "message_refused",
  "gave_up",
  "bounced",
  "complained",
] as const;

/**
 * One email or message to one customer. It has no foreign key to its user or pass: it outlives them until it is next processed, and
 * is then skipped. Deliveries of kind `message` are unique for each message, user and channel.
 */
export const messageDeliveryRecord = record("messageDeliveries", ["id"], {
  id: text(),
  kind: oneOf(...messageDeliveryKinds).fixed(),
  userId: text().fixed(),
  passId: text().nullable().fixed(),
  messageId: text().nullable().fixed(),
  /** The automation run that sends it; `null` for every other kind. */
  automationRunId: text().nullable().fixed(),
  /** The index of its action in that run, from 0. */
  actionIndex: integer().nullable().fixed(),
  channel: oneOf(...messageChannels).fixed(),
  platform: oneOf("apple", "google").nullable(),
  /** The requested language. */
  language: text().nullable(),
  status: oneOf(...messageDeliveryStatuses),
  reason: oneOf(...messageDeliveryReasons).nullable(),
  isSilent: boolean(),
  /** The response to an attempt may have been lost, so the delivery may have arrived. */
  isUncertain: boolean(),
  /** The last ten attempts, oldest first. */
  attempts: list<MessageAttempt>(),
  /** The number of failed attempts, not counting failures of the transport itself. */
  failures: integer(),
  /** The time when it is due; `null` unless it is `PENDING`. */
  nextAttemptAt: time().nullable(),
  /** The time after which it is no longer sent. */
  expiresAt: time(),
  createdAt: time().fixed(),
  updatedAt: time(),
});

export type StoredMessageDelivery = RowOf<typeof messageDeliveryRecord>;
export type MessageDeliveryKind = StoredMessageDelivery["kind"];
export type MessageDeliveryStatus = StoredMessageDelivery["status"];
export type MessageDeliveryReason = NonNullable<StoredMessageDelivery["reason"]>;

/** Exists for each organization that has sent an email, or put a link into one. */
export const mailQueueRecord = record("mailQueues", [], {
  /** Identifies the organization in links. It is random, so that no two organizations have the same token. */
  token: text(),
  /** The key that signs links in emails. */
  linkKey: text().sealed(),
});

export type StoredMailQueue = RowOf<typeof mailQueueRecord>;

/** A queue with its organization. */
export interface OwnedMailQueue {
  readonly organizationId: string;
  readonly queue: StoredMailQueue;
}

/** A delivery that is waiting to be sent; at most one for each lane and delivery. */
export const mailJobRecord = record("mailJobs", ["lane", "deliveryId"], {
  deliveryId: text().refersTo("messageDeliveries", "id"),
  /** Separate lanes, so that emails about a pass never wait for messages. */
  lane: oneOf("pass", "message"),
  ...jobColumns,
});

export type StoredMailJob = RowOf<typeof mailJobRecord>;
export type NewMailJob = NewJob<StoredMailJob>;
export type MailLane = StoredMailJob["lane"];

export const mailJobs = jobKind(mailJobRecord, {
  lane: "lane",
  subject: "deliveryId",
  queue: mailQueueRecord,
});

/** Selects the deliveries about a pass, to a user, or for a message. */
export type MessageDeliveryOwner =
  | { readonly passId: string }
  | { readonly userId: string }
  | { readonly messageId: string };

/** Selects the emails to count: by pass or by user. */
export type MailOwner = Exclude<MessageDeliveryOwner, { readonly messageId: string }>;

/** A position in the list of a message's deliveries. */
export type MessageDeliveryCursor = Pick<StoredMessageDelivery, "createdAt" | "id">;

/** A delivery that counts toward a customer's frequency cap. */
export interface RecentMessage {
  readonly userId: string;
  /** The id of the message or automation run that the delivery belongs to. */
  readonly messageId: string | null;
  readonly deliveryId: string;
}

export interface MessageDeliveryQuery {
  /** `null` for any status. */
  readonly status: MessageDeliveryStatus | null;
  /** The page number, from 0. */
  readonly page: number;
  readonly size: number;
}

export interface MessageDeliveryPage {
  readonly items: readonly StoredMessageDelivery[];
  /** The total number of deliveries on all pages. */
  readonly total: number;
}

/** Selects the deliveries to a user, or at most `limit` of the deliveries created before a time. */
export type MessageDeliverySelection =
  | { readonly userId: string }
  | { readonly before: number; readonly limit: number };

export interface MailReads {
  findMessageSettings(organizationId: string): Step<StoredMessageSettings | null>;
  findMailQueue(organizationId: string): Step<StoredMailQueue | null>;
  /**
   * Searches all organizations for the queue with this token, without locking rows. Returns `null` if no organization has it, or
   * more than one.
   */
  organizationOfMailToken(token: string): Step<{ readonly organizationId: string } | null>;
  /** Returns the queues of all organizations, by organization, after `after` (empty string: from the start), at most `limit`. */
  mailQueuesAfter(after: string, limit: number): Step<OwnedMailQueue[]>;
  findMessageDelivery(organizationId: string, id: string): Step<StoredMessageDelivery | null>;
  /** Returns the deliveries with these ids (at most 1,000), by id. */
  messageDeliveriesById(organizationId: string, ids: readonly string[]): Step<StoredMessageDelivery[]>;
  /** Returns a page of the deliveries of a pass, a user or a message, newest first: by `createdAt`, then id. */
  messageDeliveriesOf(
    organizationId: string,
    owner: MessageDeliveryOwner,
    query: MessageDeliveryQuery,
  ): Step<MessageDeliveryPage>;
  /**
   * Returns the times when deliveries of these kinds were created after `since`, newest first, at most 100. Ignores skipped
   * deliveries.
   */
  recentMailsOf(
    organizationId: string,
    owner: MailOwner,
    kinds: readonly MessageDeliveryKind[],
    since: number,
  ): Step<number[]>;
  /**
   * Returns a message's deliveries of kind `message` with a status, oldest first: by `createdAt`, then id, after `after` (`null`:
   * from the start), at most `limit`.
   */
  messageDeliveriesWith(
    organizationId: string,
    messageId: string,
    status: MessageDeliveryStatus,
    after: MessageDeliveryCursor | null,
    limit: number,
  ): Step<StoredMessageDelivery[]>;
  /**
   * Returns the message and automation deliveries to these users (at most 1,000) that may have arrived, and were updated after
   * `since`: the ones that are `ACCEPTED`, `SENDING`, or `PENDING` and uncertain. In no particular order.
   */
  recentMessagesOf(organizationId: string, userIds: readonly string[], since: number): Step<RecentMessage[]>;
}

/**
 * A job requires that the organization has a queue; {@link MailReads.findMailQueue} locks the queue's jobs against other
 * transactions.
 */
export interface MailWrites {
  /** Stores the settings, and replaces existing ones. */
  putMessageSettings(organizationId: string, settings: StoredMessageSettings): Step<void>;
  insertMailQueue(organizationId: string, queue: StoredMailQueue): Step<void>;
  /** Replaces the queue. Returns false if there is none. */
  updateMailQueue(organizationId: string, queue: StoredMailQueue): Step<boolean>;
  /**
   * Adds deliveries, at most 1,000.
   * @throws an error if a delivery's message already has a delivery to that user and channel.
   */
  insertMessageDeliveries(organizationId: string, deliveries: readonly StoredMessageDelivery[]): Step<void>;
  /**
   * Replaces the deliveries with these ids (at most 1,000), except the kind, channel, user, pass, message and `createdAt`. Skips
   * ids that don't exist.
   */
  updateMessageDeliveries(organizationId: string, deliveries: readonly StoredMessageDelivery[]): Step<void>;
  /**
   * Removes deliveries with their jobs: all deliveries to a user, or the oldest ones before a time that are neither `PENDING` nor
   * `SENDING`.
   * @returns the number of removed deliveries.
   */
  removeMessageDeliveries(organizationId: string, which: MessageDeliverySelection): Step<number>;
}
