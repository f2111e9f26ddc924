import type { KeptCounters } from "./unwritten.js";

/** The number of organizations that are remembered: a commit goes through all of them. */
const MOST = 100;

/**
 * The counters of organizations as the newest commit left them, which the next one need not read. They are forgotten when
 * a commit fails, or another one may have come in between.
 */
export class KnownCounters {
  #state: object | null = null;
  #counters = new Map<string, KeptCounters>();

  /** Hands over what is known of a committed state, to be changed, and remembers it no more. */
  take(state: object | null): Map<string, KeptCounters> {
    const counters =
      state !== null && state === this.#state ? this.#counters : new Map<string, KeptCounters>();
    this.#state = null;
    this.#counters = new Map();
    return counters;
  }

  /** Remembers what the state will have that a commit is about to leave. */
  note(state: object, counters: Map<string, KeptCounters>): void {
    for (const oldest of counters.keys()) {
      if (counters.size <= MOST) break;
      counters.delete(oldest);
    }
    this.#state = state;
    this.#counters = counters;
  }
}
