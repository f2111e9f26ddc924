import type { Step } from "../concurrency/step.js";
import { messageJobs } from "../storage/messages.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";

/** The work that is left at a message follows from its state alone. */
const REVISION = 1;

export const MESSAGE_LANE = "message";

/** Has something done with a message at a time, in place of when it was due before, in a running transaction. */
export function* scheduleMessage(
  tx: StorageTransaction,
  organizationId: string,
  messageId: string,
  at: number,
  now: number,
): Step<void> {
  if ((yield* tx.findMessageQueue(organizationId)) === null)
    yield* tx.insertMessageQueue(organizationId, { testTimes: [], createdAt: now });
  yield* tx.deleteJobs(organizationId, messageJobs, MESSAGE_LANE, [messageId]);
  const job = {
    messageId,
    lane: MESSAGE_LANE,
    revision: REVISION,
    nextAttemptAt: at,
    createdAt: now,
  } as const;
  yield* tx.putJobs(organizationId, messageJobs, [job]);
}
