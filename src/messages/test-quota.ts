import type { Step } from "../concurrency/step.js";
import { createLoyaltyError } from "../errors.js";
import { HOUR } from "../jobs/retries.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import { timestamp } from "../values/clock.js";

/** Maximum number of test messages per organization and hour, because tests could be abused to email strangers. */
const MOST_OF_HOUR = 10;

/**
 * Counts a test toward the organization's hourly limit, in the caller's transaction.
 * @throws {LoyaltyError} `message_tested_recently` if the limit is reached.
 */
export function* recordTest(tx: StorageTransaction, organizationId: string, now: number): Step<void> {
  const queue = yield* tx.findMessageQueue(organizationId);
  const recent = (queue?.testTimes ?? []).filter((time) => time > now - HOUR).slice(-MOST_OF_HOUR);
  const [oldest] = recent;
  if (oldest !== undefined && recent.length === MOST_OF_HOUR)
    throw createLoyaltyError("message_tested_recently", [timestamp(oldest + HOUR)]);
  const testTimes = [...recent, now];
  if (queue === null) yield* tx.insertMessageQueue(organizationId, { testTimes, createdAt: now });
  else yield* tx.updateMessageQueue(organizationId, { ...queue, testTimes });
}
