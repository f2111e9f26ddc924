import type { Step } from "../base/concurrency/step.js";
import { messageJobs } from "../storage/messages.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";

/** The revision of every message job. It never changes, because the message's state alone determines the remaining work. */
const REVISION = 1;

export const MESSAGE_LANE = "message";

/** Schedules a message's next step in the caller's transaction, replacing the message's previous job. */
export function* scheduleMessage(
  tx: StorageTransaction,
  messageId: string,
  at: number,
  now: number,
): Step<void> {
  if ((yield* tx.lockQueue(messageJobs)) === null)
    yield* tx.insertQueue(messageJobs, { testTimes: [], createdAt: now });
  yield* tx.deleteJobs(messageJobs, MESSAGE_LANE, [messageId]);
  const job = {
    messageId,
    lane: MESSAGE_LANE,
    revision: REVISION,
    nextAttemptAt: at,
    createdAt: now,
  } as const;
  yield* tx.putJobs(messageJobs, [job]);
}
