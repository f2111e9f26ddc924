import type { Step } from "../concurrency/step.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";

/** Marks under this id are those of all organizations together. No organization has it, since none has a blank id. */
export const ALL_ORGANIZATIONS = " ";

/** An organization has at most this many marks; above it, those that expire first are removed. */
const MAX_MARKS = 10_000;

/** Each new mark removes at most this many others. */
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
  const before = yield* tx.findCooldown(organizationId, name);
  if (before !== null && before.until > now) return false;
  yield* markAgain(tx, organizationId, name, { now, until });
  return true;
}

/** Marks a name until a time, as {@link mark}, also when it is marked already. */
export function* markAgain(
  tx: StorageTransaction,
  organizationId: string,
  name: string,
  { now, until }: { readonly now: number; readonly until: number },
): Step<void> {
  yield* tx.putCooldown(organizationId, { name, until });
  yield* tx.removeExpiredCooldowns(organizationId, now, REMOVED_WITH_EACH);
  // One organization must not push out what others count. Each mark stands for a mail, so there are no more than are sent.
  if (organizationId === ALL_ORGANIZATIONS) return;
  yield* tx.trimCooldowns(organizationId, MAX_MARKS, REMOVED_WITH_EACH);
}
