import type { Step } from "../concurrency/step.js";
import { type RowOf, record, text, time } from "./record.js";

/** A mark says of a name, until a time, that something has been done, such as that a session was ended. */
export const cooldownRecord = record("cooldowns", ["name"], { name: text(), until: time() });

export type StoredCooldown = RowOf<typeof cooldownRecord>;

export interface CooldownReads {
  /** Returns the mark of a name, also one whose time is over. */
  findCooldown(organizationId: string, name: string): Step<StoredCooldown | null>;
}

export interface CooldownWrites {
  /** Keeps the mark, in the place of one of the same name. */
  putCooldown(organizationId: string, mark: StoredCooldown): Step<void>;
  /**
   * Removes marks (at most `limit`) whose `until` is before a time, the earliest first.
   * @returns how many were removed.
   */
  removeExpiredCooldowns(organizationId: string, before: number, limit: number): Step<number>;
  /**
   * Removes marks (at most `limit`) that are not among the `count` with the latest `until`; of marks with the same `until`
   * those with the last names stay.
   * @returns how many were removed.
   */
  trimCooldowns(organizationId: string, count: number, limit: number): Step<number>;
}
