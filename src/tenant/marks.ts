import type { Step } from "../concurrency/step.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";

/** How many marks an organization has at most; above it those go that would have gone first. */
const MAX_MARKS = 10_000;

/** How many marks go with each new one at most. */
const REMOVED_WITH_EACH = 100;

/**
 * Marks a name until a time, in milliseconds since the Unix epoch.
 * @returns false when it is marked already; nothing is changed then.
 */
export function* mark(
  tx: StorageTransaction,
  organizationId: string,
  name: string,
  { now, until }: { readonly now: number; readonly until: number },
): Step<boolean> {
  const before = yield* tx.findMark(organizationId, name);
  if (before !== null && before.until > now) return false;
  yield* tx.putMark(organizationId, { name, until });
  yield* tx.removeMarks(organizationId, now, REMOVED_WITH_EACH);
  yield* tx.removeMarksBeyond(organizationId, MAX_MARKS, REMOVED_WITH_EACH);
  return true;
}
