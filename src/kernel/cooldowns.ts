import type { Step } from "../base/concurrency/step.js";
import { hashOfKey } from "../base/secrets/idempotency-seal.js";
import { ALL_ORGANIZATIONS, type CooldownReads, type CooldownWrites } from "../storage/cooldowns.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";

/** Maximum number of cooldowns per organization; above it, the ones that expire first are removed. */
const MAX_COOLDOWNS = 10_000;

/** Maximum number of cooldowns that each new one removes. */
const MAX_REMOVALS_PER_INSERT = 100;

/** When a cooldown starts and ends, in milliseconds since the Unix epoch. */
interface CooldownTimes {
  readonly now: number;
  readonly until: number;
}

/**
 * Starts a cooldown that lasts until the given time, in milliseconds since the Unix epoch.
 * @returns `false`, without changing anything, if a cooldown with this name is already running.
 */
export function* tryStartCooldown(
  tx: StorageTransaction,
  name: string,
  { now, until }: CooldownTimes,
): Step<boolean> {
  const existingCooldown = yield* tx.findCooldown(name);
  if (existingCooldown !== null && existingCooldown.until > now) return false;
  yield* startCooldown(tx, name, { now, until });
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

/** How often an action may happen while its cooldowns last. */
export interface ActionLimit {
  /** The action in words, such as mail to an address. The names of the slots contain it. */
  readonly action: string;
  readonly max: number;
}

/** Returns a free slot or, if there is none, the slot that will become free first. */
export function* findCooldownSlot(
  cooldowns: CooldownReads,
  organizationId: string,
  { action, max }: ActionLimit,
  now: number,
): Step<CooldownSlot> {
  let earliestSlot: CooldownSlot | null = null;
  for (let index = 0; index < max; index += 1) {
    const name = hashOfKey(organizationId, `${action}, ${index}`);
    const freeAt = (yield* cooldowns.findCooldown(name))?.until ?? now;
    if (freeAt <= now) return { name, freeAt };
    if (earliestSlot === null || freeAt < earliestSlot.freeAt) earliestSlot = { name, freeAt };
  }
  if (earliestSlot === null) throw new RangeError(`a limit of ${max} allows nothing`);
  return earliestSlot;
}

/** Does the same as {@link findCooldownSlot} for a limit that applies across all organizations. */
export function findSharedCooldownSlot(
  tx: StorageTransaction,
  limit: ActionLimit,
  now: number,
): Step<CooldownSlot> {
  return findCooldownSlot(tx.all, ALL_ORGANIZATIONS, limit, now);
}

/** Starts a cooldown that lasts until the given time, replacing any cooldown with the same name that is already running. */
export function* startCooldown(tx: StorageTransaction, name: string, times: CooldownTimes): Step<void> {
  yield* putCooldown(tx, name, times);
  // One organization must not evict another's cooldowns.
  yield* tx.trimCooldowns(MAX_COOLDOWNS, MAX_REMOVALS_PER_INSERT);
}

/**
 * Starts a cooldown that applies across all organizations. Each such cooldown stands for one email, so sending rates bound their
 * number.
 */
export function startSharedCooldown(tx: StorageTransaction, name: string, times: CooldownTimes): Step<void> {
  return putCooldown(tx.all, name, times);
}

function* putCooldown(cooldowns: CooldownWrites, name: string, { now, until }: CooldownTimes): Step<void> {
  yield* cooldowns.putCooldown({ name, until });
  yield* cooldowns.removeExpiredCooldowns(now, MAX_REMOVALS_PER_INSERT);
}
