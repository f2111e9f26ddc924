import { createHash } from "node:crypto";
import { isSameSecret } from "./token-format.js";

/* Proof Key for Code Exchange (RFC 7636), with only the `S256` method. */

/** Returns whether a string is a well-formed code challenge, which is a base64url-encoded SHA-256 hash (RFC 7636, section 4.2). */
export function isCodeChallenge(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}

/** Returns whether a string is a well-formed code verifier: 43 to 128 unreserved URL characters (RFC 7636, section 4.1). */
export function isCodeVerifier(text: string): boolean {
  return /^[A-Za-z0-9._~-]{43,128}$/.test(text);
}

/** Returns whether a code verifier matches a code challenge (RFC 7636, section 4.6). */
export function matchesChallenge(codeVerifier: string, codeChallenge: string): boolean {
  return isSameSecret(createHash("sha256").update(codeVerifier).digest("base64url"), codeChallenge);
}
