import type { Step } from "../base/concurrency/step.js";
import { hashOfKey } from "../base/secrets/idempotency-seal.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";

/**
 * The organization ID for cooldowns that apply across all organizations. No organization can have this ID, because organization IDs
 * can't be blank.
 */
export const ALL_ORGANIZATIONS = " ";

/** Maximum number of cooldowns per organization; above it, the ones that expire first are removed. */
const MAX_NAMES = 10_000;

/** Maximum number of cooldowns that each new one removes. */
const REMOVED_PER_INSERT = 100;

/**
 * Starts a cooldown that lasts until the given time, in milliseconds since the Unix epoch.
 * @returns `false`, without changing anything, if a cooldown with this name is already running.
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

/**
 * A slot in a rate limit. The limit allows as many actions per period as it has slots. An action occupies a slot by starting a
 * cooldown with the slot's name, and the slot becomes free again when that cooldown ends.
 */
export interface CooldownSlot {
  readonly name: string;
  /**
   * The time when the slot becomes free, in milliseconds since the Unix epoch. If this time isn't in the future, the slot is free
   * now.
   */
  readonly freeAt: number;
}

/** Returns a free slot or, if there is none, the slot that will become free first. */
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

/** Starts a cooldown that lasts until the given time, replacing any cooldown with the same name that is already running. */
export function* startCooldown(
  tx: StorageTransaction,
  organizationId: string,
  name: string,
  { now, until }: { readonly now: number; readonly until: number },
): Step<void> {
  yield* tx.putCooldown(organizationId, { name, until });
  yield* tx.removeExpiredCooldowns(organizationId, now, REMOVED_PER_INSERT);
  // One organization must not evict another's cooldowns. Each shared cooldown stands for one email, so sending rates bound their
  // number.
  if (organizationId === ALL_ORGANIZATIONS) return;
  yield* tx.trimCooldowns(organizationId, MAX_NAMES, REMOVED_PER_INSERT);
}
