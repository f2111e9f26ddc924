import type { Step } from "../base/concurrency/step.js";
import { randomBase62 } from "../base/secrets/token-format.js";
import type { RowSecrets } from "../kernel/row-secrets.js";
import type { Tenant } from "../kernel/tenant.js";
import {
  type MessageDeliveryKind,
  mailJobs,
  mailQueueRecord,
  type StoredMailQueue,
  type StoredMessageDelivery,
} from "../storage/mail.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";
import { PASS_MAIL_LIFETIME_MS } from "./mail-outcome.js";

/** Long enough that no two organizations get the same token. */
const TOKEN_LENGTH = 12;
const KEY_LENGTH = 32;

/** The revision of every mail job. It is always the same, because queued emails are never edited. */
export const MAIL_REVISION = 1;

/** Number of expired deliveries to remove for each new one, so that they never pile up. */
const REMOVALS_PER_INSERT = 2;

/** Returns the organization's mail queue, with its key encrypted. Creates the queue if it doesn't exist. */
export function* ensureMailQueue(
  tx: StorageTransaction,
  organizationId: string,
  secrets: RowSecrets,
): Step<StoredMailQueue> {
  const existingQueue = yield* tx.lockQueue(mailJobs);
  if (existingQueue !== null) return existingQueue;
  const queue = { token: randomBase62(TOKEN_LENGTH), linkKey: randomBase62(KEY_LENGTH) };
  const sealedQueue = secrets.seal(mailQueueRecord, organizationId, queue);
  yield* tx.insertQueue(mailJobs, sealedQueue);
  return sealedQueue;
}

export interface NewPassMail {
  readonly kind: Extract<MessageDeliveryKind, "pass" | "link">;
  readonly userId: string;
  readonly passId: string;
  /** The requested language, or `null` to use the customer's language. */
  readonly language: string | null;
}

/**
 * Reserves capacity for emails that are about to be queued.
 * @param maxPending the maximum number of pending emails. Default: the organization's limit.
 * @returns `false` if there isn't enough capacity.
 */
export function* reserveMailQuota(
  tenant: Tenant,
  reader: StorageReader,
  mailCount: number,
  maxPending: number = tenant.engine.config.limits.pendingMessageDeliveries,
): Step<boolean> {
  const { organizationId } = tenant;
  const { mail } = tenant.engine.channels;
  const at = tenant.now();
  const reserve = () => mail.room.reserve(organizationId, mailCount, maxPending, at);
  const isReserved = reserve();
  if (isReserved !== null) return isReserved;
  mail.room.count(organizationId, yield* reader.countOf("pendingMessageDeliveries"), at);
  return reserve() ?? false;
}

/**
 * Queues an email about a pass in the caller's transaction. The caller must already have reserved capacity for it.
 * @returns the delivery.
 */
export function* queuePassMail(
  tenant: Tenant,
  tx: StorageTransaction,
  mail: NewPassMail,
): Step<StoredMessageDelivery> {
  const { organizationId, engine } = tenant;
  const now = tenant.now();
  const delivery: StoredMessageDelivery = {
    id: tenant.newId("mdl"),
    ...mail,
    messageId: null,
    automationRunId: null,
    actionIndex: null,
    channel: "email",
    platform: null,
    status: "PENDING",
    reason: null,
    isSilent: false,
    isUncertain: false,
    attempts: [],
    failures: 0,
    nextAttemptAt: now,
    expiresAt: now + PASS_MAIL_LIFETIME_MS,
    createdAt: now,
    updatedAt: now,
  };
  yield* ensureMailQueue(tx, organizationId, engine.secrets);
  const before = now - engine.config.retention.messageMs;
  yield* tx.removeMessageDeliveries({ before, limit: REMOVALS_PER_INSERT });
  yield* tx.insertMessageDeliveries([delivery]);
  yield* tx.putJobs(mailJobs, [
    { deliveryId: delivery.id, lane: "pass", revision: MAIL_REVISION, nextAttemptAt: now, createdAt: now },
  ]);
  return delivery;
}
