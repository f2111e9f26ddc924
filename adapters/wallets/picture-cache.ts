import type { StoredPicture } from "../../src/storage/wallets.js";
import { stripPicture } from "../../src/values/strip-picture.js";
import { LruCache } from "./lru-cache.js";

/** The picture of a hash; `null` if it is no longer stored. */
export type FindPicture = (hash: string) => Promise<StoredPicture | null>;

/** The limit of remembered pictures. */
const MAX_BYTES = 33_554_432;

/**
 * Remembers pictures, which never change, up to 32 MiB of them. Of those that were kept as they had been sent nothing but the
 * picture is given, and none that would not be taken now.
 */
export function createPictureCache(find: FindPicture): FindPicture {
  const memory = new LruCache<StoredPicture>(MAX_BYTES, ({ bytes }) => bytes.byteLength);
  const plain = async (hash: string): Promise<StoredPicture | null> => {
    const stored = await find(hash);
    const picture = stored && stripPicture(stored.bytes);
    return stored === null || picture === null || typeof picture === "string"
      ? null
      : { ...stored, bytes: picture.bytes };
  };
  return (hash) => memory.get(hash, () => plain(hash));
}
