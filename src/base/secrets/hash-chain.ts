import { createHash } from "node:crypto";

/** The value that the first link of a chain uses as its previous hash. */
export const CHAIN_START = "0".repeat(64);

/**
 * Returns the hash of a link in a chain, computed from the previous link's hash and the link's content. The hash is SHA-256, as 64
 * lowercase hexadecimal digits.
 */
export function hashLink(previousHash: string, content: readonly (string | number | null)[]): string {
  return sha256(JSON.stringify([previousHash, ...content]));
}

/**
 * Returns a commitment to a string: a hash that can later prove what the string was, but reveals nothing about it without the salt.
 */
export function commitToText(salt: string, text: string): string {
  return sha256(JSON.stringify([salt, text]));
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
