import { SingleFlight } from "../../../src/base/concurrency/shared-calls.js";
import { stripPicture } from "../../../src/base/values/picture.js";
import type { StoredPicture } from "../../../src/storage/wallets.js";

/** Finds a picture by its hash, or resolves to `null` if it isn't stored. */
export type FindPicture = (hash: string) => Promise<StoredPicture | null>;

/** Maximum size of cached pictures in bytes. */
const MAX_BYTES = 33_554_432;

/**
 * Wraps a lookup with a cache of up to 32 MiB of pictures. Caching is safe because pictures never change. Older versions of this
 * package stored pictures exactly as uploaded. Such pictures are stripped down to the image itself, and count as missing if the
 * current upload rules would reject them.
 */
export function createPictureCache(find: FindPicture): FindPicture {
  const cache = new LruCache<StoredPicture>(MAX_BYTES, ({ bytes }) => bytes.byteLength);
  const loadStripped = async (hash: string): Promise<StoredPicture | null> => {
    const storedPicture = await find(hash);
    const picture = storedPicture && stripPicture(storedPicture.bytes);
    return storedPicture === null || picture === null || typeof picture === "string"
      ? null
      : { ...storedPicture, bytes: picture.bytes };
  };
  return (hash) => cache.get(hash, () => loadStripped(hash));
}

/** A cache for values that are expensive to create. Evicts the least recently used values when the total size exceeds the limit. */
export class LruCache<V> {
  private readonly entries = new Map<string, V>();
  private readonly calls = new SingleFlight<V | null>();
  private bytes = 0;

  constructor(
    private readonly maxBytes: number,
    private readonly measureBytes: (value: V) => number,
  ) {}

  /**
   * Returns the cached value for the key, or creates the value if it isn't cached. Concurrent calls with the same key and
   * `callerKey` share a single call to `make`.
   * @param make a function that creates the value, or resolves to `null` if there is none. Neither `null` nor an error is cached.
   * @param callerKey an identifier for the caller. Calls with different values don't share a call to `make`, because one caller might
   *   have to wait longer than another.
   */
  async get(key: string, make: () => Promise<V | null>, callerKey = ""): Promise<V | null> {
    const cached = this.entries.get(key);
    if (cached !== undefined) {
      this.entries.delete(key);
      this.entries.set(key, cached);
      return cached;
    }
    return this.calls.run(`${callerKey} ${key}`, async () => {
      const value = await make();
      if (value !== null) this.store(key, value);
      return value;
    });
  }

  private store(key: string, value: V): void {
    // A caller with another caller key may have created the value in the meantime.
    const previous = this.entries.get(key);
    if (previous !== undefined) this.bytes -= this.measureBytes(previous);
    this.entries.set(key, value);
    this.bytes += this.measureBytes(value);
    for (const [oldest, oldestValue] of this.entries) {
      if (this.bytes <= this.maxBytes) break;
      this.entries.delete(oldest);
      this.bytes -= this.measureBytes(oldestValue);
    }
  }
}
