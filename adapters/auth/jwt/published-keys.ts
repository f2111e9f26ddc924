import { createLocalJWKSet, createRemoteJWKSet, errors, type JWTVerifyGetKey } from "jose";
import { finishesWithin } from "../../../src/concurrency/timeout.js";
import { unavailable } from "../../../src/errors.js";
import { isSecureOrLocal } from "../../../src/values/url.js";

/** How long a failure to fetch keys is remembered, so that many tokens don't cause many fetches. */
const FAILURE_MS = 1_000;

/** How long tokens wait for keys to be fetched again if some are known. */
const PATIENCE_MS = 500;

/**
 * The keys that an issuer publishes at a URL. Those fetched before serve on for as long as a failure is remembered, and while
 * the issuer says nothing.
 * @returns what rejects with `storage_unavailable` when there is no telling whether a token is good.
 * @throws {TypeError} for a URL of http, unless it is of this machine.
 */
export function fetchJwks(url: URL): JWTVerifyGetKey {
  const keys = createRemoteJWKSet(assertSafeUrl(url));
  let failed: { readonly at: number; readonly cause: unknown } | null = null;
  let isLate = false;
  const hasTrouble = () => isLate || (failed !== null && performance.now() - failed.at < FAILURE_MS);

  /** Fetches known keys again when they are old. Callers wait only briefly. */
  async function renew(): Promise<void> {
    if (hasTrouble() || keys.fresh || keys.jwks() === undefined) return;
    const renewed = keys.reload().then(
      () => {
        isLate = false;
      },
      (cause: unknown) => {
        isLate = false;
        failed = { at: performance.now(), cause };
      },
    );
    isLate = !(await finishesWithin(PATIENCE_MS, renewed));
  }

  return async (header, token) => {
    await renew();
    const isFailing = hasTrouble();
    const kept = isFailing ? keys.jwks() : undefined;
    try {
      if (kept !== undefined) return await createLocalJWKSet(kept)(header, token);
      if (isFailing) throw failed?.cause;
      return await keys(header, token);
    } catch (cause) {
      // Without the newest keys a token may name one that is among them.
      if (isOfToken(cause) && !isFailing) throw cause;
      if (!isFailing) failed = { at: performance.now(), cause };
      throw unavailable("keys", cause);
    }
  };
}

/** Keys fetched over http may be forged. @throws {TypeError} for such a URL, unless it is on this machine. */
function assertSafeUrl(url: URL): URL {
  if (isSecureOrLocal(url)) return url;
  throw new TypeError(
    `the keys of an issuer are fetched by https alone, not from ${url.protocol}//${url.host}`,
  );
}

function isOfToken(error: unknown): boolean {
  return (
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JOSENotSupported
  );
}
