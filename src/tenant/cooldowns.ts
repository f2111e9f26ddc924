import type { Step } from "../concurrency/step.js";
import { hashOfKey } from "../secrets/idempotency-seal.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";

/** The id of cooldowns that count for all organizations together. No organization has it, because no id is blank. */
export const ALL_ORGANIZATIONS = " ";

/** An organization has at most this many marks; above it, those that expire first are removed. */
const MAX_MARKS = 10_000;

/** Each new mark removes at most this many others. */
const REMOVED_WITH_EACH = 100;

/**
 * Marks a name until a time, in milliseconds since the Unix epoch.
 * @returns false when it is marked already; nothing is changed then.
 */
export function* tryStartCooldown(
  tx: StorageTransaction,
  organizationId: string,
  name: string,
  { now, until }: { readonly now: number; readonly until: number },
): Step<boolean> {
  const before = yield* tx.findCooldown(organizationId, name);
  if (before !== null && before.until > now) return false;
  yield* startCooldown(tx, organizationId, name, { now, until });
  return true;
}

/** A slot that limits how often something happens: its name is blocked until a time. */
export interface CooldownSlot {
  readonly name: string;
  /** The name is blocked until this time. Free if it is not in the future. */
  readonly freeAt: number;
}

/** Finds the first free slot, or else the slot that becomes free first. */
export function* findCooldownSlot(
  reader: StorageReader,
  organizationId: string,
  counted: string,
  limit: number,
  now: number,
): Step<CooldownSlot> {
  let first: CooldownSlot | null = null;
  for (let at = 0; at < limit; at += 1) {
    const name = hashOfKey(organizationId, `${counted}, ${at}`);
    const freeAt = (yield* reader.findCooldown(organizationId, name))?.until ?? now;
    if (freeAt <= now) return { name, freeAt };
    if (first === null || freeAt < first.freeAt) first = { name, freeAt };
  }
  if (first === null) throw new RangeError(`nothing is counted up to ${limit}`);
  return first;
}

/** Marks a name until a time, as {@link tryStartCooldown}, also when it is marked already. */
export function* startCooldown(
  tx: StorageTransaction,
  organizationId: string,
  name: string,
  { now, until }: { readonly now: number; readonly until: number },
): Step<void> {
  yield* tx.putCooldown(organizationId, { name, until });
  yield* tx.removeExpiredCooldowns(organizationId, now, REMOVED_WITH_EACH);
  // One organization must not evict cooldowns of another. Each stands for one mail, so the mails that are sent bound them.
  if (organizationId === ALL_ORGANIZATIONS) return;
  yield* tx.trimCooldowns(organizationId, MAX_MARKS, REMOVED_WITH_EACH);
}
