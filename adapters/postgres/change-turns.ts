import { FairSemaphore } from "../../src/concurrency/fair-semaphore.js";
import { failure } from "../../src/errors.js";

/** So many changes of one organization may wait, and each for so many milliseconds. */
const MAX_WAITING = 1_000;
const PATIENCE_MS = 10_000;

/** The share of a pool's connections that changes leave to reads, of which there is one at least. */
const FOR_READS = 1 / 3;

/**
 * Gives out turns to change something, before a connection is taken for it: one change of each organization at a time,
 * since the server would let the others wait for it, each on a connection. So however many wait, and whatever for, those of other
 * organizations go on; and some connections are left to reads.
 */
export class ChangeTurns {
  readonly #slots: FairSemaphore;
  #unnamed = 0;

  /** @param connections how many the pool has at most. @param patienceMs for how long a change waits for its turn. */
  constructor(connections: number, patienceMs = PATIENCE_MS) {
    const atOnce = Math.max(1, connections - Math.max(1, Math.floor(connections * FOR_READS)));
    this.#slots = new FairSemaphore(atOnce, 1 / atOnce, {
      length: MAX_WAITING,
      patience: patienceMs,
      refusal: () => {
        const cause = new Error("too many changes of the organization are waiting, or one takes too long");
        return failure("storage_unavailable", null, { cause });
      },
    });
  }

  /**
   * @param organizationId `undefined` for a change of none in particular, which waits for no other but for a connection.
   * @throws what `change` throws; `storage_unavailable` when its turn does not come.
   */
  run<T>(organizationId: string | undefined, change: () => Promise<T>): Promise<T> {
    return this.#slots.run(organizationId ?? this.#nameless(), change);
  }

  /** No organization has an empty line in its id. */
  #nameless(): string {
    this.#unnamed += 1;
    return `\n\n${this.#unnamed}`;
  }
}
