import type { Step } from "../concurrency/step.js";
import { type RowOf, record, text, time } from "./record.js";

/** A name that is blocked until a time, for example because a session was ended. */
export const cooldownRecord = record("cooldowns", ["name"], { name: text(), until: time() });

export type StoredCooldown = RowOf<typeof cooldownRecord>;

export interface CooldownReads {
  /** Finds the cooldown with this name, even if it has expired. */
  findCooldown(organizationId: string, name: string): Step<StoredCooldown | null>;
}

export interface CooldownWrites {
  /** Stores a cooldown, and replaces an existing one with the same name. */
  putCooldown(organizationId: string, mark: StoredCooldown): Step<void>;
  /**
   * Removes cooldowns (at most `limit`) whose `until` is before a time, earliest first.
   * @returns the number of removed cooldowns.
   */
  removeExpiredCooldowns(organizationId: string, before: number, limit: number): Step<number>;
  /**
   * Removes cooldowns (at most `limit`) until only the `count` with the latest `until` remain; ties are broken by name, and the
   * last names stay.
   * @returns the number of removed cooldowns.
   */
  trimCooldowns(organizationId: string, count: number, limit: number): Step<number>;
}
