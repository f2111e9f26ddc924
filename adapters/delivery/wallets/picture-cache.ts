import { stripPicture } from "../../../src/base/values/picture.js";
import type { StoredPicture } from "../../../src/storage/wallets.js";
import { LruCache } from "./lru-cache.js";

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
  const memory = new LruCache<StoredPicture>(MAX_BYTES, ({ bytes }) => bytes.byteLength);
  const loadPlain = async (hash: string): Promise<StoredPicture | null> => {
    const storedPicture = await find(hash);
    const picture = storedPicture && stripPicture(storedPicture.bytes);
    return storedPicture === null || picture === null || typeof picture === "string"
      ? null
      : { ...storedPicture, bytes: picture.bytes };
  };
  return (hash) => memory.get(hash, () => loadPlain(hash));
}
