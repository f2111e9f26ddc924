import type { Step } from "../base/concurrency/step.js";
import { type RowOf, record, text, time } from "./record.js";

/**
 * The organization ID of the cooldowns that apply across all organizations. No organization can have this ID, because organization
 * IDs can't be blank.
 */
export const ALL_ORGANIZATIONS = " ";

/** A name that is blocked until a given time, for example to keep an ended session from being used. */
export const cooldownRecord = record("cooldowns", ["name"], {
  /** The name that the cooldown blocks, unique within the organization. */
  name: text(),
  /** When the cooldown ends, in milliseconds since the Unix epoch. */
  until: time(),
});

export type StoredCooldown = RowOf<typeof cooldownRecord>;

export interface CooldownReads {
  /** Finds the cooldown with this name, even if it has expired. */
  findCooldown(name: string): Step<StoredCooldown | null>;
}

export interface CooldownWrites {
  /** Stores a cooldown, replacing any existing one with the same name. */
  putCooldown(cooldown: StoredCooldown): Step<void>;
  /**
   * Removes up to `limit` cooldowns whose `until` is before the given time, earliest first.
   * @returns the number of removed cooldowns.
   */
  removeExpiredCooldowns(before: number, limit: number): Step<number>;
  /**
   * Removes the cooldowns with the earliest `until`, at most `limit` of them, to bring the total down to `count`. Ties are broken
   * by name, lowest first.
   * @returns the number of removed cooldowns.
   */
  trimCooldowns(count: number, limit: number): Step<number>;
}
