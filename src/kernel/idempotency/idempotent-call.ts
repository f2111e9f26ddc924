import { createLoyaltyError, validationFailed } from "../../base/errors.js";
import { hashOfKey, hashRequest } from "../../base/secrets/idempotency-seal.js";
import { isLongerThan, isStorable } from "../../base/values/text.js";

const MAX_KEY_LENGTH = 255;

/** Options that every write accepts, either as part of its input or, if it takes no input, as a separate argument. */
export interface IdempotencyOptions {
  /**
   * A key of 1 to 255 characters that the caller chooses. For 24 hours by default, repeating a call with the same key returns the
   * first call's outcome and has no further effect.
   */
  readonly idempotencyKey?: string;
}

/** An operation and its input. The last element contains the idempotency key, if there is one. */
export type KeyedRequest = readonly [operation: string, ...input: unknown[]];

/** A call with an idempotency key. It takes effect only once, even if it is repeated. */
export interface IdempotentCall {
  readonly key: string;
  readonly keyHash: string;
  readonly fingerprint: string;
  /** The caller's credential, such as a bearer token, or `null` if there is none. */
  readonly credential: string | null;
}

/**
 * Creates an idempotent call from its key and request.
 * @param key the idempotency key, 1 to 255 characters long.
 * @param request the request as JSON values. Calls with the same key must have the same request.
 * @param field the name of the field or header that contains the key, for use in errors.
 * @param credential the caller's credential, or `null` if there is none.
 * @throws {LoyaltyError} `wrong_param_type` or `validation_failed` on `field`, or `malformed_request` if the request is nested
 *   too deeply to be compared.
 */
export function createIdempotentCall(
  organizationId: string,
  key: unknown,
  request: readonly unknown[],
  field: string,
  credential: string | null = null,
): IdempotentCall {
  if (typeof key !== "string") throw createLoyaltyError("wrong_param_type", [field]);
  if (key.trim() === "" || !isStorable(key) || isLongerThan(key, MAX_KEY_LENGTH)) {
    throw validationFailed({ [field]: `must be a text of 1 to ${MAX_KEY_LENGTH} characters` });
  }
  try {
    return { key, keyHash: hashOfKey(organizationId, key), fingerprint: hashRequest(request), credential };
  } catch (cause) {
    // Parsing isn't recursive but serializing is, so input nested tens of thousands of levels deep overflows the stack here.
    if (cause instanceof RangeError) {
      throw createLoyaltyError("malformed_request", null, {
        cause,
        message: "The input is nested too deep.",
      });
    }
    throw cause;
  }
}

/**
 * Parses the idempotency key of a library call.
 * @param request the operation and its arguments. The last element contains the key.
 * @returns the idempotent call, or `null` if there is no key.
 * @throws {LoyaltyError} under the same conditions as {@link createIdempotentCall}, with `idempotencyKey` as the field.
 */
export function parseKeyedCall(organizationId: string, request: KeyedRequest): IdempotentCall | null {
  const last = request.at(-1);
  if (typeof last !== "object" || last === null || !("idempotencyKey" in last)) return null;
  const { idempotencyKey, ...input } = last;
  if (idempotencyKey === undefined) return null;
  return createIdempotentCall(
    organizationId,
    idempotencyKey,
    [...request.slice(0, -1), input],
    "idempotencyKey",
  );
}
