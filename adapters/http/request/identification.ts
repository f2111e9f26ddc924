import type { Principal } from "../../../src/access/token-verifier.js";
import { isLoyaltyError, type LoyaltyError } from "../../../src/errors.js";
import { type Authenticate, credentialsOf } from "./authentication.js";
import { RequestAuthentication } from "./by-request.js";
import { headerValues } from "./headers.js";
import type { HttpRequest } from "./message.js";

/** Who a request is from. */
export interface Identified {
  /** `null` for a stranger. */
  readonly principal: Principal | null;
  /** What its requests are counted by. */
  readonly key: string;
  /** Whether it has sent a token, though perhaps none that is one. */
  readonly presented: boolean;
  /** Why who is known may not come in; `null` for a stranger of whom nothing is known. */
  readonly refusal: LoyaltyError | null;
}

const MINUTE_MS = 60_000;

const unreadable =
  "a bearer token came that is none by its characters (RFC 6750, section 2.1): it was answered with 401, and authenticate not asked";

/**
 * Finds out who requests are from.
 * @param onError told of tokens that can't be any, once a minute at most: a host whose own tokens are so would look for
 *   long why nobody gets in.
 */
export function identification(
  authenticate: Authenticate | RequestAuthentication,
  onError: (error: unknown) => void,
): (request: HttpRequest) => Promise<Identified> {
  if (authenticate instanceof RequestAuthentication) {
    return async (request) => {
      const principal = await authenticate.principalOf(request);
      return { principal, key: keyOf(principal), presented: false, refusal: null };
    };
  }
  let told = Number.NEGATIVE_INFINITY;
  return async ({ headers, address }) => {
    const { token, presented } = credentialsOf(headers);
    if (token === null) {
      const now = performance.now();
      const [sent = "", ...others] = headerValues(headers, "authorization");
      // Several in one header are another mistake, that of a caller.
      const isOne = others.length === 0 && /^bearer +[^\s,]+$/i.test(sent);
      if (presented && isOne && now - told >= MINUTE_MS) {
        told = now;
        onError(new Error(unreadable));
      }
      return { principal: null, key: "", presented, refusal: null };
    }
    try {
      // A host without types may find nobody with undefined.
      const principal = (await authenticate(token, address)) ?? null;
      return { principal, key: token, presented, refusal: null };
    } catch (error) {
      if (!isLoyaltyError(error, "address_not_allowed")) throw error;
      return { principal: null, key: "", presented, refusal: error };
    }
  };
}

/** No token has a space. */
function keyOf(principal: Principal | null): string {
  if (principal === null) return "";
  const { organizationId, subject, user } = principal;
  return JSON.stringify(["by request", organizationId, subject ?? null, user ?? null]);
}
