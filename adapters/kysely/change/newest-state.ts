import { KnownSets } from "../segments/known-sets.js";
import type { KnownState } from "./unwritten.js";

/** The number of organizations whose counters are remembered: a commit goes through all of them. */
const MOST = 100;

/**
 * What the newest commit has left, which the next one need not read. It is forgotten when a commit fails, or another one may have
 * come in between.
 */
export class NewestState {
  #state: object | null = null;
  #known: KnownState = nothingKnown();

  /** Hands over what is known of a committed state, to be changed, and remembers it no more. */
  take(state: object | null): KnownState {
    const known = state !== null && state === this.#state ? this.#known : nothingKnown();
    this.#state = null;
    this.#known = nothingKnown();
    return known;
  }

  /** Remembers what the state will have that a commit is about to leave. */
  note(state: object, known: KnownState): void {
    const { counters } = known;
    for (const oldest of counters.keys()) {
      if (counters.size <= MOST) break;
      counters.delete(oldest);
    }
    this.#state = state;
    this.#known = known;
  }
}

/** What a commit knows that is the first. */
export function nothingKnown(): KnownState {
  return { counters: new Map(), sets: new KnownSets(), told: null };
}
