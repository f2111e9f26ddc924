import type { NewEvent } from "../../../src/storage/events.js";
import { isUserId, listNamedIds } from "../../../src/values/named-ids.js";

/** The form of such an id. */
const FORM = /^(?:usr|wp)_[^"\\]+$/;

/** Up to this many comparisons of ids with events take less time than reading the rows that the events name. */
const FEW = 32;

/**
 * Tracks customers changed by a transaction but named by none of its events. Column caches follow events, so such a change must
 * invalidate them.
 */
export class ChangesWithoutEvent {
  /** By the id of the user or the pass; true for a pass that is gone, whose user is to be named beside it. */
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

  /** Returns whether some change is in no event. */
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
