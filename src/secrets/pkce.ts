import { createHash } from "node:crypto";
import { isSameSecret } from "./same-secret.js";

/* Proof Key for Code Exchange (RFC 7636), with the method S256 alone. */

/** A SHA-256 in base64url (section 4.2). */
export function isCodeChallenge(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}

/** Section 4.1. */
export function isCodeVerifier(text: string): boolean {
  return /^[A-Za-z0-9._~-]{43,128}$/.test(text);
}

/** Section 4.6. */
export function matchesChallenge(codeVerifier: string, codeChallenge: string): boolean {
  return isSameSecret(createHash("sha256").update(codeVerifier).digest("base64url"), codeChallenge);
}
