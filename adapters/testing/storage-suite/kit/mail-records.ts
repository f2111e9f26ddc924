import {
  type MessageAttempt,
  mailQueueRecord,
  messageDeliveryRecord,
  messageSettingsRecord,
  type NewMailJob,
  type StoredMailQueue,
  type StoredMessageDelivery,
  type StoredMessageSettings,
} from "../../../../src/storage/mail.js";
import { type StoredSubscription, subscriptionRecord } from "../../../../src/storage/subscriptions.js";
import type { StoredUser } from "../../../../src/storage/users.js";
import { sample } from "./records.js";

export function someSubscription(
  { id: userId }: Pick<StoredUser, "id">,
  fields: Partial<StoredSubscription> = {},
): StoredSubscription {
  return sample(subscriptionRecord, "sub", { userId, ...fields });
}

export function someMessageSettings(fields: Partial<StoredMessageSettings> = {}): StoredMessageSettings {
  return sample(messageSettingsRecord, "mst", fields);
}

export function someMailQueue(fields: Partial<StoredMailQueue> = {}): StoredMailQueue {
  return sample(mailQueueRecord, "mlq", fields);
}

/** Builds a pending email about a pass. */
export function someMessageDelivery(fields: Partial<StoredMessageDelivery> = {}): StoredMessageDelivery {
  return sample(messageDeliveryRecord, "mdl", { nextAttemptAt: 1, ...fields });
}

export function someMessageAttempt(fields: Partial<MessageAttempt> = {}): MessageAttempt {
  return { at: 7, durationMs: 12, code: 451, answer: "try again later", ...fields };
}

export function someMailJob(
  { id: deliveryId, createdAt }: StoredMessageDelivery,
  fields: Partial<NewMailJob> = {},
): NewMailJob {
  return { deliveryId, lane: "pass", revision: 1, nextAttemptAt: 1, createdAt, ...fields };
}
