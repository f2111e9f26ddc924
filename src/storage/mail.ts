import type { Step } from "../concurrency/step.js";
import { jobColumns, jobKind, type NewJob } from "./jobs.js";
import { boolean, integer, list, oneOf, type RowOf, record, text, time } from "./record.js";
import { messageChannels } from "./subscriptions.js";

/** An organization's own settings of what it sends. */
export const messageSettingsRecord = record("messageSettings", [], {
  /** The name beside the sender's address. */
  senderName: text().nullable(),
  replyTo: text().nullable(),
  footer: text().nullable(),
  /** Between these times of the day, as `HH:MM`, no message begins; both are `null` if one may at any time. */
  quietFrom: text().nullable(),
  quietTo: text().nullable(),
  /**
   * The frequency cap: at most `capMessages` messages to a customer within `capDays` times 24 hours. Both are `null` without a cap.
   */
  capDays: integer().nullable(),
  capMessages: integer().nullable(),
  /** Cards get messages of those who have neither agreed nor refused. */
  isWalletDefault: boolean(),
  updatedAt: time(),
});

export type StoredMessageSettings = RowOf<typeof messageSettingsRecord>;

/** One attempt to deliver. */
export interface MessageAttempt {
  /** The time when it began. */
  readonly at: number;
  readonly durationMs: number;
  /** The code of the answer in SMTP or HTTP; `null` if there was none. */
  readonly code: number | null;
  /** The first 200 characters of the answer, without addresses. */
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

/** Why a delivery was skipped or failed. */
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
 * One mail or message on its way to one customer. It refers to no user or pass: it outlives them until it is looked at
 * again, and skipped. No two of kind `message` have message, user and channel alike.
 */
export const messageDeliveryRecord = record("messageDeliveries", ["id"], {
  id: text(),
  kind: oneOf(...messageDeliveryKinds).fixed(),
  userId: text().fixed(),
  passId: text().nullable().fixed(),
  messageId: text().nullable().fixed(),
  /** The run of an automation that has it sent; `null` for every other kind. */
  automationRunId: text().nullable().fixed(),
  /** The place of its text among the actions of that run, from 0. */
  actionIndex: integer().nullable().fixed(),
  channel: oneOf(...messageChannels).fixed(),
  platform: oneOf("apple", "google").nullable(),
  /** The language that was asked for. */
  language: text().nullable(),
  status: oneOf(...messageDeliveryStatuses),
  reason: oneOf(...messageDeliveryReasons).nullable(),
  isSilent: boolean(),
  /** The response to an attempt may have been lost, so it may have arrived. */
  isUncertain: boolean(),
  /** The last ten, oldest first. */
  attempts: list<MessageAttempt>(),
  /** The number of failed attempts, without failures of the transport itself. */
  failures: integer(),
  /** The time when it is due; `null` unless it is `PENDING`. */
  nextAttemptAt: time().nullable(),
  /** It is not sent after this time. */
  expiresAt: time(),
  createdAt: time().fixed(),
  updatedAt: time(),
});

export type StoredMessageDelivery = RowOf<typeof messageDeliveryRecord>;
export type MessageDeliveryKind = StoredMessageDelivery["kind"];
export type MessageDeliveryStatus = StoredMessageDelivery["status"];
export type MessageDeliveryReason = NonNullable<StoredMessageDelivery["reason"]>;

/** Exists for each organization that has sent a mail, or put a link into one. */
export const mailQueueRecord = record("mailQueues", [], {
  /** Stands for the organization in links. It is made by chance, so that no other one has it. */
  token: text(),
  /** Signs the links of mails. */
  linkKey: text().sealed(),
});

export type StoredMailQueue = RowOf<typeof mailQueueRecord>;

/** A queue with its organization. */
export interface OwnedMailQueue {
  readonly organizationId: string;
  readonly queue: StoredMailQueue;
}

/** A delivery that is to be sent. There is one at most of each lane and delivery. */
export const mailJobRecord = record("mailJobs", ["lane", "deliveryId"], {
  deliveryId: text().refersTo("messageDeliveries", "id"),
  /** Mails about a pass wait for no messages. */
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

/** Selects the deliveries about a pass, to a user, or of a message. */
export type MessageDeliveryOwner =
  | { readonly passId: string }
  | { readonly userId: string }
  | { readonly messageId: string };

/** Names what the mails are counted of. */
export type MailOwner = Exclude<MessageDeliveryOwner, { readonly messageId: string }>;

/** A place in the deliveries of a message. */
export type MessageDeliveryCursor = Pick<StoredMessageDelivery, "createdAt" | "id">;

/** A delivery that counts against how many messages a customer gets. */
export interface RecentMessage {
  readonly userId: string;
  /** The message, or the run of an automation, that it is of. */
  readonly messageId: string | null;
  readonly deliveryId: string;
}

export interface MessageDeliveryQuery {
  /** `null` for any. */
  readonly status: MessageDeliveryStatus | null;
  /** From 0. */
  readonly page: number;
  readonly size: number;
}

export interface MessageDeliveryPage {
  readonly items: readonly StoredMessageDelivery[];
  /** The number of deliveries on all pages. */
  readonly total: number;
}

/** Names the deliveries to a user, or at most `limit` of those made before a time. */
export type MessageDeliverySelection =
  | { readonly userId: string }
  | { readonly before: number; readonly limit: number };

export interface MailReads {
  findMessageSettings(organizationId: string): Step<StoredMessageSettings | null>;
  findMailQueue(organizationId: string): Step<StoredMailQueue | null>;
  /**
   * Returns the organization whose queue has a token, of all organizations; `null` if none has it, or more than one. It
   * locks nothing.
   */
  organizationOfMailToken(token: string): Step<{ readonly organizationId: string } | null>;
  /** The queues of all organizations, by organization, after `after` (empty string: from the start), at most `limit`. */
  mailQueuesAfter(after: string, limit: number): Step<OwnedMailQueue[]>;
  findMessageDelivery(organizationId: string, id: string): Step<StoredMessageDelivery | null>;
  /** The deliveries of these ids (at most 1,000), by id. */
  messageDeliveriesById(organizationId: string, ids: readonly string[]): Step<StoredMessageDelivery[]>;
  /** A page of the deliveries of a pass, a user or a message, newest first: by `createdAt`, then id. */
  messageDeliveriesOf(
    organizationId: string,
    owner: MessageDeliveryOwner,
    query: MessageDeliveryQuery,
  ): Step<MessageDeliveryPage>;
  /** The times at which deliveries of these kinds were created after `since`, newest first, at most 100, without skipped ones. */
  recentMailsOf(
    organizationId: string,
    owner: MailOwner,
    kinds: readonly MessageDeliveryKind[],
    since: number,
  ): Step<number[]>;
  /**
   * The deliveries of kind `message` that a message has with a status, oldest first: by `createdAt`, then id, from behind
   * `after`, or from the start with `null`; at most `limit`.
   */
  messageDeliveriesWith(
    organizationId: string,
    messageId: string,
    status: MessageDeliveryStatus,
    after: MessageDeliveryCursor | null,
    limit: number,
  ): Step<StoredMessageDelivery[]>;
  /**
   * The deliveries of messages and automations to these users (at most 1,000) that may have arrived, and were changed after
   * `since`: those that are `ACCEPTED`, `SENDING`, or `PENDING` and uncertain. They come in no order.
   */
  recentMessagesOf(organizationId: string, userIds: readonly string[], since: number): Step<RecentMessage[]>;
}

/** A job needs an organization with a queue; {@link MailReads.findMailQueue} keeps other transactions from its jobs. */
export interface MailWrites {
  /** Keeps the settings, in the place of those there are. */
  putMessageSettings(organizationId: string, settings: StoredMessageSettings): Step<void>;
  insertMailQueue(organizationId: string, queue: StoredMailQueue): Step<void>;
  /** Replaces the queue. Returns false if there is none. */
  updateMailQueue(organizationId: string, queue: StoredMailQueue): Step<boolean>;
  /** Adds deliveries, at most 1,000. @throws an error if the message of one has a delivery to that user and channel. */
  insertMessageDeliveries(organizationId: string, deliveries: readonly StoredMessageDelivery[]): Step<void>;
  /**
   * Replaces the deliveries of these ids (at most 1,000); the kind, the channel, the user, the pass, the message and
   * `createdAt` stay. Those that are not there are left out.
   */
  updateMessageDeliveries(organizationId: string, deliveries: readonly StoredMessageDelivery[]): Step<void>;
  /**
   * Removes deliveries with their jobs: all of a user, or the oldest before a time, and of these none that is `PENDING` or
   * `SENDING`.
   * @returns how many were removed.
   */
  removeMessageDeliveries(organizationId: string, which: MessageDeliverySelection): Step<number>;
}
