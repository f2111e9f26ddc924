import { isUserId, listNamedIds } from "../../../../src/base/values/named-ids.js";
import type { NewEvent } from "../../../../src/storage/events.js";

/** Ids that can be searched for in an event's JSON without escaping. */
const FORM = /^(?:usr|wp)_[^"\\]+$/;

/** Up to this many comparisons of IDs with events are faster than extracting the IDs that the events name. */
const FEW = 32;

/**
 * Tracks whether a transaction changes customers who don't appear in any of its events. Column caches learn about changes from
 * events, so a change without an event must invalidate the caches.
 */
export class ChangesWithoutEvent {
  /**
   * The changes, keyed by user or pass ID. The value is `true` for a removed pass, which counts as covered only by an event that
   * also contains a user's ID.
   */
  readonly #changes = new Map<string, boolean>();
  readonly #told: string[] = [];

  addChange(id: string): void {
    if (!this.#changes.has(id)) this.#changes.set(id, false);
  }

  addRemovedPass(passId: string): void {
    this.#changes.set(passId, true);
  }

  addEvents(events: readonly Pick<NewEvent, "data">[]): void {
    for (const { data } of events) this.#told.push(data);
  }

  /** Returns whether the transaction changed any customer who doesn't appear in its events. */
  hasAny(): boolean {
    const ids = [...this.#changes];
    if (ids.length * this.#told.length <= FEW) return !ids.every((changed) => this.#isNamed(changed));
    const named = new Set<string>();
    const withUser = new Set<string>();
    for (const data of this.#told) {
      const found = listNamedIds(data);
      const hasUser = found.some(isUserId);
      for (const id of found) {
        named.add(id);
        if (hasUser) withUser.add(id);
      }
    }
    return !ids.every(([id, isGone]) => (isGone ? withUser : named).has(id));
  }

  #isNamed([id, isGone]: readonly [id: string, isGone: boolean]): boolean {
    return this.#told.some((data) => {
      if (!FORM.test(id) || !data.includes(`"${id}"`)) return false;
      return !isGone || listNamedIds(data).some(isUserId);
    });
  }
}
