import { CHUNK_SIZE, chunkOf } from "../../../../src/storage/bitmap.js";

/** Maximum number of users who are recomputed one by one. Beyond it, the column is reloaded. */
const MAX_DUE_USERS = 20_000;

const NEVER = Number.POSITIVE_INFINITY;

/** The times of a chunk's users. */
interface TimeChunk {
  readonly times: Float64Array;
  /** No user of the chunk has an earlier time. */
  earliest: number;
}

/**
 * Records when each user's values next change by time alone, such as when points become usable or expire. As time goes on, only the
 * users whose time has come are recomputed.
 */
export class ChangeTimes {
  /** Chunks whose users have no time are missing. */
  readonly #chunks: (TimeChunk | undefined)[] = [];
  #at: number;

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
    return this.#chunks.reduce((bytes, chunk) => bytes + (chunk?.times.byteLength ?? 0), 0);
  }

  /** Stores the time at which a user's values next change, or `Infinity` if time doesn't change them. */
  put(ordinal: number, time: number): void {
    const chunkIndex = chunkOf(ordinal);
    const existing = this.#chunks[chunkIndex];
    if (existing === undefined && time === NEVER) return;
    const chunk = existing ?? { times: new Float64Array(CHUNK_SIZE).fill(NEVER), earliest: NEVER };
    this.#chunks[chunkIndex] = chunk;
    chunk.times[ordinal % CHUNK_SIZE] = time;
    chunk.earliest = Math.min(chunk.earliest, time);
  }

  /** Returns whether a user's values differ between {@link at} and a later time. */
  isDue(ordinal: number, time: number): boolean {
    return (this.#chunks[chunkOf(ordinal)]?.times[ordinal % CHUNK_SIZE] ?? NEVER) <= time;
  }

  /**
   * Returns the ordinals of the users whose values differ between {@link at} and a later time. Returns `null` if the time is earlier,
   * or if there are too many users.
   */
  listDue(time: number): ReadonlySet<number> | null {
    if (time < this.#at) return null;
    const ordinals = new Set<number>();
    for (const [chunkIndex, chunk] of this.#chunks.entries()) {
      if (chunk === undefined || chunk.earliest > time) continue;
      let earliest = NEVER;
      for (let offset = 0; offset < CHUNK_SIZE; offset += 1) {
        const changesAt = chunk.times[offset] ?? NEVER;
        if (changesAt < earliest) earliest = changesAt;
        if (changesAt <= time) ordinals.add(chunkIndex * CHUNK_SIZE + offset);
      }
      chunk.earliest = earliest;
      if (ordinals.size > MAX_DUE_USERS) return null;
    }
    return ordinals;
  }

  /** Moves {@link at} to a later time. Call it once the values of all users who are due then have been stored. */
  advance(time: number): void {
    this.#at = time;
  }
}
