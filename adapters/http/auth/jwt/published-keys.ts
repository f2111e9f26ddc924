import { createLocalJWKSet, createRemoteJWKSet, errors, type JWTVerifyGetKey } from "jose";
import { finishesWithin } from "../../../../src/base/concurrency/timeout.js";
import { unavailable } from "../../../../src/base/errors.js";
import { isSecureOrLocal } from "../../../../src/base/values/url.js";

/** Milliseconds for which a failure to fetch keys is remembered, so that many tokens don't cause many fetches. */
const FAILURE_MS = 1_000;

/** Milliseconds that tokens wait for a refetch if some keys are cached. */
const PATIENCE_MS = 500;

/**
 * Creates a function that looks up a token's key among the keys that an issuer publishes. The function keeps using cached keys
 * while the issuer is slow to respond, and for a short time after a failed fetch.
 * @param url the URL where the issuer publishes its keys.
 * @returns the lookup function. It rejects with `storage_unavailable` if the keys can't be fetched, because the token might be
 *   valid.
 * @throws {TypeError} if the URL uses http and its host is neither `localhost` nor a loopback address.
 */
export function fetchJwks(url: URL): JWTVerifyGetKey {
  const keys = createRemoteJWKSet(assertSafeUrl(url));
  let failed: { readonly at: number; readonly cause: unknown } | null = null;
  let isLate = false;
  const hasTrouble = () => isLate || (failed !== null && performance.now() - failed.at < FAILURE_MS);

  /** Refetches cached keys that are old. Callers wait only briefly. */
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
      // If the newest keys couldn't be fetched, the key that the token names may be among them.
      if (isOfToken(cause) && !isFailing) throw cause;
      if (!isFailing) failed = { at: performance.now(), cause };
      throw unavailable("keys", cause);
    }
  };
}

/**
 * Rejects http URLs, because keys that are fetched over http may be forged.
 * @throws {TypeError} if the URL uses http, unless it is on this machine.
 */
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
