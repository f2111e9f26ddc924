import { createHash } from "node:crypto";

/** The first link of a chain follows this hash. */
export const CHAIN_START = "0".repeat(64);

/** The hash of a link in a chain, over the previous hash and the link's content: SHA-256, 64 lower-case hexadecimal digits. */
export function hashLink(previousHash: string, content: readonly (string | number | null)[]): string {
  return sha256(JSON.stringify([previousHash, ...content]));
}

/** Binds to a text, and tells nothing of it to who has not the salt. */
export function commitToText(salt: string, text: string): string {
  return sha256(JSON.stringify([salt, text]));
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
