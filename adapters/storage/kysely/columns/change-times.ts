import { CHUNK_SIZE, chunkOf } from "../../../../src/storage/bitmap.js";

/** Maximum number of users who are recomputed one by one. Beyond it, the column is reloaded. */
const MOST_USERS = 20_000;

const NEVER = Number.POSITIVE_INFINITY;

const noOrdinals: ReadonlySet<number> = new Set();

/**
 * Records when each user's values next change by time alone, such as when points become usable or expire. As time goes on, only the
 * users whose time has come are recomputed.
 */
export class ChangeTimes {
  /** One time for each user in a chunk. Chunks whose users have no time are missing. */
  readonly #chunks: (Float64Array | undefined)[] = [];
  #at: number;
  /** No user's values change before this time. */
  #earliest = NEVER;

  /** @param at the time that the values reflect, in milliseconds since the Unix epoch. */
  constructor(at: number) {
    this.#at = at;
  }

  /** The time that the values reflect. They are the same at later times until some user's values change. */
  get at(): number {
    return this.#at;
  }

  /** The approximate memory usage, in bytes. */
  get bytes(): number {
    return this.#chunks.reduce((bytes, chunk) => bytes + (chunk?.byteLength ?? 0), 0);
  }

  /** Stores the time at which a user's values next change, or `Infinity` if time doesn't change them. */
  put(ordinal: number, time: number): void {
    const at = chunkOf(ordinal);
    const existing = this.#chunks[at];
    if (existing === undefined && time === NEVER) return;
    const chunk = existing ?? new Float64Array(CHUNK_SIZE).fill(NEVER);
    this.#chunks[at] = chunk;
    chunk[ordinal % CHUNK_SIZE] = time;
    this.#earliest = Math.min(this.#earliest, time);
  }

  /** Returns whether a user's values differ between {@link at} and a later time. */
  isDue(ordinal: number, time: number): boolean {
    return (this.#chunks[chunkOf(ordinal)]?.[ordinal % CHUNK_SIZE] ?? NEVER) <= time;
  }

  /**
   * Returns the ordinals of the users whose values differ between {@link at} and a later time. Returns `null` if the time is earlier,
   * or if there are too many users.
   */
  listDue(time: number): ReadonlySet<number> | null {
    if (time < this.#at) return null;
    if (time < this.#earliest) return noOrdinals;
    const ordinals = new Set<number>();
    for (const [at, chunk] of this.#chunks.entries()) {
      for (let place = 0; chunk !== undefined && place < CHUNK_SIZE; place += 1) {
        if ((chunk[place] ?? NEVER) <= time) ordinals.add(at * CHUNK_SIZE + place);
      }
      if (ordinals.size > MOST_USERS) return null;
    }
    return ordinals;
  }

  /** Moves {@link at} to a later time. Call it once the values of all users who are due then have been stored. */
  advance(time: number): void {
    this.#at = time;
    this.#earliest = NEVER;
    for (const chunk of this.#chunks) {
      for (let place = 0; chunk !== undefined && place < CHUNK_SIZE; place += 1) {
        this.#earliest = Math.min(this.#earliest, chunk[place] ?? NEVER);
      }
    }
  }
}
