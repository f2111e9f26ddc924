import type { Step } from "../base/concurrency/step.js";
import { jobColumns, jobKind, type NewJob } from "./jobs.js";
import { boolean, integer, list, oneOf, type RowOf, record, text, time } from "./record.js";
import { messageChannels } from "./subscriptions.js";

/** An organization's settings for the emails and messages that it sends. */
export const messageSettingsRecord = record("messageSettings", [], {
  /** The display name that is used with the sender's address. */
  senderName: text().nullable(),
  /** The address for replies to emails, or `null` to use the server's default. */
  replyTo: text().nullable(),
  /** The footer of emails to customers, which can have several lines, or `null` if there is none. */
  footer: text().nullable(),
  /**
   * The start of the quiet hours during which no message starts, as an `HH:MM` time of day. `null`, like their end, if there are no
   * quiet hours.
   */
  quietFrom: text().nullable(),
  /** The end of the quiet hours, as an `HH:MM` time of day, or `null` if there are no quiet hours. */
  quietTo: text().nullable(),
  /**
   * The frequency cap: a customer gets at most `capMessages` messages within `capDays` times 24 hours. Both are `null` if there is
   * no cap.
   */
  capDays: integer().nullable(),
  /** Maximum number of messages to a customer within `capDays` times 24 hours, or `null` if there is no cap. */
  capMessages: integer().nullable(),
  /** True if customers who have neither given nor refused consent get messages on their cards. */
  isWalletDefault: boolean(),
  /** When the settings were last changed, in milliseconds since the Unix epoch. */
  updatedAt: time(),
});

export type StoredMessageSettings = RowOf<typeof messageSettingsRecord>;

/** One attempt to deliver an email, with its time and the mail server's response. */
export interface MessageAttempt {
  /** When the attempt started, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** How long the attempt took, in milliseconds. */
  readonly durationMs: number;
  /** The SMTP or HTTP status code of the response, or `null` if there was no response. */
  readonly code: number | null;
  /** The beginning of the response (at most 200 characters), with email addresses removed. */
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

/** The possible reasons why a delivery was skipped or failed. */
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
 * One email or message to one customer. The row has no foreign key to its user or pass, because it can outlive them. If it does,
 * the delivery is skipped the next time it is processed. Deliveries of kind `message` are unique per message, user, and channel.
 */
export const messageDeliveryRecord = record("messageDeliveries", ["id"], {
  /** The delivery's ID, unique within the organization. */
  id: text(),
  /** What the email or message is for, such as `pass` for an email about a pass, or `test` for a test of a message. */
  kind: oneOf(...messageDeliveryKinds).fixed(),
  /** The ID of the customer who receives the email or message. */
  userId: text().fixed(),
  /** The ID of the pass that the delivery is about, or under which a message is listed. `null` if there is no such pass. */
  passId: text().nullable().fixed(),
  /** The ID of the message that is sent or tested, or `null` for every other kind of delivery. */
  messageId: text().nullable().fixed(),
  /** The automation run that sends the message, or `null` for every other kind of delivery. */
  automationRunId: text().nullable().fixed(),
  /** The index of the action in the automation run that sends the message, from 0. */
  actionIndex: integer().nullable().fixed(),
  /** The channel on which the delivery is sent. */
  channel: oneOf(...messageChannels).fixed(),
  /** The wallet platform, once it is known. `null` for emails, and while a card message could go to several platforms. */
  platform: oneOf("apple", "google").nullable(),
  /** The language that was requested for this delivery. */
  language: text().nullable(),
  /** The delivery's status. `ACCEPTED`, `SKIPPED`, and `FAILED` are final, except that an accepted email can still bounce. */
  status: oneOf(...messageDeliveryStatuses),
  /**
   * Why the delivery was skipped or failed. Also set if a bounce is reported while the delivery is in progress. Otherwise `null`.
   */
  reason: oneOf(...messageDeliveryReasons).nullable(),
  /** True if a wallet received the message without notifying the customer. Always false for emails. */
  isSilent: boolean(),
  /** True if the delivery may have arrived, because the response to an attempt may have been lost. */
  isUncertain: boolean(),
  /** The most recent attempts, at most ten, oldest first. */
  attempts: list<MessageAttempt>(),
  /** Number of failed attempts, except when the transport itself failed. */
  failures: integer(),
  /** The time when the delivery is due. `null` unless it is `PENDING`. */
  nextAttemptAt: time().nullable(),
  /** The time after which the delivery is no longer sent. */
  expiresAt: time(),
  /** When the delivery was created, in milliseconds since the Unix epoch. */
  createdAt: time().fixed(),
  /** When the delivery last changed, in milliseconds since the Unix epoch. */
  updatedAt: time(),
});

export type StoredMessageDelivery = RowOf<typeof messageDeliveryRecord>;
export type MessageDeliveryKind = StoredMessageDelivery["kind"];
export type MessageDeliveryStatus = StoredMessageDelivery["status"];
export type MessageDeliveryReason = NonNullable<StoredMessageDelivery["reason"]>;

/** An organization's email queue. Exists only if the organization has queued an email or created a link for an email. */
export const mailQueueRecord = record("mailQueues", [], {
  /** Identifies the organization in links. Random, so that no two organizations have the same token. */
  token: text(),
  /** The key that signs links in emails. */
  linkKey: text().sealed("mail link key"),
});

export type StoredMailQueue = RowOf<typeof mailQueueRecord>;

/** An email queue and its organization's ID, for lists of queues across all organizations. */
export interface OwnedMailQueue {
  /** The ID of the organization that sends the queued emails. */
  readonly organizationId: string;
  /** The email queue, with its link key as stored, which is encrypted if the service has secret keys. */
  readonly queue: StoredMailQueue;
}

/** A job for a delivery that is waiting to be sent. There is at most one job per lane and delivery. */
export const mailJobRecord = record("mailJobs", ["lane", "deliveryId"], {
  /** The ID of the delivery to send. */
  deliveryId: text().refersTo("messageDeliveries", "id"),
  /** Emails about passes have a lane of their own, so that they never wait for messages. */
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
  isLockedAlone: false,
});

/** Selects deliveries by the pass they are about, the user they are addressed to, or the message they belong to. */
export type MessageDeliveryOwner =
  | {
      /** The ID of the pass that the deliveries are about. */
      readonly passId: string;
    }
  | {
      /** The ID of the user who receives the deliveries. */
      readonly userId: string;
    }
  | {
      /** The ID of the message that the deliveries are for. */
      readonly messageId: string;
    };

/** The pass or user to look up recent emails for. */
export type MailOwner = Exclude<MessageDeliveryOwner, { readonly messageId: string }>;

/** A position in the list of a message's deliveries. */
export type MessageDeliveryCursor = Pick<StoredMessageDelivery, "createdAt" | "id">;

/** A delivery that counts toward a customer's frequency cap. */
export interface RecentMessage {
  /** The ID of the customer that the delivery is addressed to. */
  readonly userId: string;
  /** The ID of the message or automation run that the delivery belongs to. */
  readonly messageId: string | null;
  /** The delivery's ID, which distinguishes deliveries of the same message on several channels. */
  readonly deliveryId: string;
}

export interface MessageDeliveryQuery {
  /** The status to filter by, or `null` for any status. */
  readonly status: MessageDeliveryStatus | null;
  /** The zero-based page number. */
  readonly page: number;
  /** Maximum number of deliveries per page. */
  readonly size: number;
}

export interface MessageDeliveryPage {
  /** The deliveries on this page, newest first. */
  readonly items: readonly StoredMessageDelivery[];
  /** The total number of deliveries across all pages. */
  readonly total: number;
}

/**
 * Selects deliveries to remove: either all deliveries to a user, or up to `limit` deliveries that were created before a given time.
 */
export type MessageDeliverySelection =
  | {
      /** The ID of the user whose deliveries are removed. */
      readonly userId: string;
    }
  | {
      /** Only deliveries created before this time (in milliseconds since the Unix epoch) are removed. */
      readonly before: number;
      /** Maximum number of deliveries to remove. */
      readonly limit: number;
    };

export interface MailReads {
  /** Returns the organization's message settings, or `null` if it has never changed them. */
  findMessageSettings(): Step<StoredMessageSettings | null>;
  /** Finds a delivery of any kind and status by its ID. Returns `null` if there is none. */
  findMessageDelivery(id: string): Step<StoredMessageDelivery | null>;
  /** Returns the deliveries with these IDs (at most 1,000), sorted by ID. */
  messageDeliveriesById(ids: readonly string[]): Step<StoredMessageDelivery[]>;
  /**
   * Returns a page of the deliveries that belong to a pass, user, or message, sorted by `createdAt` (newest first), then by ID in
   * descending order.
   */
  messageDeliveriesOf(owner: MessageDeliveryOwner, query: MessageDeliveryQuery): Step<MessageDeliveryPage>;
  /**
   * Returns the creation times of up to 100 deliveries that belong to a pass or user, have one of these kinds, and were created
   * after `since`, newest first. Ignores skipped deliveries.
   */
  recentMailsOf(owner: MailOwner, kinds: readonly MessageDeliveryKind[], since: number): Step<number[]>;
  /**
   * Lists up to `limit` of a message's deliveries that are of kind `message` and have the given status, sorted by `createdAt`
   * (oldest first), then by ID. Starts after `after`, or at the beginning if `after` is `null`.
   */
  messageDeliveriesWith(
    messageId: string,
    status: MessageDeliveryStatus,
    after: MessageDeliveryCursor | null,
    limit: number,
  ): Step<StoredMessageDelivery[]>;
  /**
   * Returns the message and automation deliveries to these users (at most 1,000) that were updated after `since` and might have
   * arrived, in no particular order. A delivery might have arrived if it is `ACCEPTED`, if it is `SENDING`, or if it is `PENDING`
   * and uncertain.
   */
  recentMessagesOf(userIds: readonly string[], since: number): Step<RecentMessage[]>;
}

/** Look-ups across all organizations. */
export interface MailLookUps {
  /**
   * Finds the organization whose email queue has this token. Searches all organizations without locking rows. Returns `null` if no
   * queue has the token, or if several do.
   */
  organizationOfMailToken(token: string): Step<{ readonly organizationId: string } | null>;
  /**
   * Lists up to `limit` queues across all organizations, sorted by organization ID, starting after the organization ID `after`.
   * Pass the empty string to start from the beginning.
   */
  mailQueuesAfter(after: string, limit: number): Step<OwnedMailQueue[]>;
}

/**
 * Write operations for deliveries and their jobs. Jobs can be stored only after the organization's queue has been created.
 */
export interface MailWrites {
  /** Stores the settings, replacing any existing ones. */
  putMessageSettings(settings: StoredMessageSettings): Step<void>;
  /**
   * Adds up to 1,000 deliveries.
   * @throws an error if a delivery of the same message to the same user on the same channel already exists.
   */
  insertMessageDeliveries(deliveries: readonly StoredMessageDelivery[]): Step<void>;
  /**
   * Replaces the stored deliveries with the same IDs (at most 1,000), but keeps their kind, channel, user, pass, message, and
   * `createdAt`. Ignores IDs that don't exist.
   */
  updateMessageDeliveries(deliveries: readonly StoredMessageDelivery[]): Step<void>;
  /**
   * Removes the selected deliveries and their jobs: either all deliveries to a user, or the oldest deliveries that were created
   * before a given time and are neither `PENDING` nor `SENDING`.
   * @returns the number of removed deliveries.
   */
  removeMessageDeliveries(selection: MessageDeliverySelection): Step<number>;
}
