import { createHash } from "node:crypto";
import type { StoredPicture } from "loyalty-kit/storage";
import type { CardLook, FindPicture } from "loyalty-kit/wallets";

export const someLook: CardLook = {
  backgroundColor: "#3B2417",
  foregroundColor: "#FFFFFF",
  labelColor: "#FFFFFF",
  strip: null,
  stamps: { shape: "CIRCLE", filled: null, empty: null },
};

export const findNoPicture: FindPicture = async () => null;

/** Returns pictures with these bytes, each under its hash. */
export function createPictures(...all: Buffer[]): { hashes: string[]; pictures: FindPicture } {
  const hashes = all.map((bytes) => createHash("sha256").update(bytes).digest("hex"));
  const findPicture: FindPicture = async (hash): Promise<StoredPicture | null> => {
    const bytes = all[hashes.indexOf(hash)];
    return bytes === undefined ? null : { hash, type: "image/png", width: 8, height: 8, bytes, createdAt: 0 };
  };
  return { hashes, pictures: findPicture };
}
