import { isYieldDue, waitForIterationEnd } from "../base/concurrency/event-loop.js";
import { type User, userOf } from "../customers/schema.js";
import type { StoredUser } from "../storage/users.js";

/** Number of users per read for lists that aren't paged. Reading in batches limits memory use. */
export const USER_BATCH = 500;

/** Reads users in batches. Each batch starts after the last ordinal in the previous one. */
export async function* readInBatches(
  read: (after: number) => Promise<StoredUser[]>,
): AsyncGenerator<User, void, undefined> {
  for (let after = -1; ; ) {
    while (isYieldDue()) await waitForIterationEnd();
    const batch = await read(after);
    const last = batch.at(-1);
    if (last === undefined) return;
    for (const user of batch) yield userOf(user);
    after = last.ordinal;
  }
}
