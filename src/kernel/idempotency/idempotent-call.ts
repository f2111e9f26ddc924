import type { Step } from "../../base/concurrency/step.js";
import type { MissingResource } from "../../base/error-messages.js";
import {
  createLoyaltyError,
  type ErrorCode,
  type ErrorDetail,
  isLoyaltyError,
  LoyaltyError,
  validationFailed,
} from "../../base/errors.js";
import type { Scope } from "../../base/scopes.js";
import { hashOfKey, hashRequest } from "../../base/secrets/idempotency-seal.js";
import { foldEmail } from "../../base/values/email.js";
import { isLongerThan, isStorable } from "../../base/values/text.js";
import type { StorageReader } from "../../storage/storage-adapter.js";

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

/** An idempotency key that the host received through its own API. */
export interface CallKey {
  /** A text of 1 to 255 characters. */
  readonly value: string;
  /** The name of the field or header that contains the key, for use in errors. */
  readonly field: string;
  /** The request, as JSON values. Every call with the same key must send the same request. */
  readonly request: readonly unknown[];
  /** The scopes that the caller must have, even if an earlier call has already stored the result. Default: none. */
  readonly scopes?: readonly Scope[];
  /**
   * The caller's credential, such as a bearer token. Requests with the same credential are assumed to come from the same caller.
   */
  readonly credential?: string | null;
}

/**
 * Creates an idempotent call from its key, which may still be of any type.
 * @throws {LoyaltyError} `wrong_param_type` or `validation_failed` on the key's `field`, or `malformed_request` if the request is nested
 *   too deeply to be compared.
 */
export function createIdempotentCall(
  organizationId: string,
  { value: key, field, request, credential = null }: Omit<CallKey, "value"> & { readonly value: unknown },
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
  return createIdempotentCall(organizationId, {
    value: idempotencyKey,
    field: "idempotencyKey",
    request: [...request.slice(0, -1), input],
  });
}

/** The outcome of a call: its result, or an error that would occur again if the call were repeated. */
export type CallOutcome<T> =
  | {
      readonly kind: "result";
      readonly result: T;
      /** True if the call could have returned an existing resource, but created a new one. */
      readonly isNew: boolean;
    }
  | { readonly kind: "failure"; readonly detail: ErrorDetail; readonly missing: MissingResource | null };

type Failure = Extract<CallOutcome<never>, { readonly kind: "failure" }>;

/** Failures with these statuses are stored, just like results. */
const SAVED_STATUSES: readonly number[] = [404, 409];

/** Temporary failures, which aren't stored: a call with the same key may be retried. */
const retryableCodes: readonly ErrorCode[] = [
  "idempotency_key_in_use",
  "pass_notified_recently",
  "message_tested_recently",
  "person_mailed_recently",
];

/** Converts an error to a failure that can be stored, or returns `null` if the call can be retried after this error. */
export function toSavedFailure(error: unknown): CallOutcome<never> | null {
  if (!isLoyaltyError(error) || !SAVED_STATUSES.includes(error.status)) return null;
  if (retryableCodes.includes(error.code)) return null;
  return { kind: "failure", detail: error.detail, missing: error.missing };
}

const newResults = new WeakSet<object>();

/** Marks the result of a get-or-create call as newly created, and returns it. */
export function markNew<T extends object>(result: T): T {
  newResults.add(result);
  return result;
}

/** Creates the outcome of a successful call. `isNew` is `true` if the result was marked with {@link markNew}. */
export function toOutcome<T>(result: T): CallOutcome<T> {
  const isNew = typeof result === "object" && result !== null && newResults.has(result);
  return { kind: "result", result, isNew };
}

/**
 * Returns an outcome's result.
 * @throws {LoyaltyError} the stored error, if the outcome is a failure.
 */
export function unwrapOutcome<T>(outcome: CallOutcome<T>): T {
  if (outcome.kind === "failure") throw toLoyaltyError(outcome);
  return outcome.result;
}

export function toLoyaltyError({ detail, missing }: Failure): LoyaltyError {
  return new LoyaltyError(detail, { missing });
}

const linkedUserListeners = new WeakMap<StorageReader, (userId: string) => void>();

/** Registers the listener that {@link linkUserToCall} calls with a user's ID during this transaction. */
export function listenForLinkedUser(tx: StorageReader, listener: (userId: string) => void): void {
  linkedUserListeners.set(tx, listener);
}

/**
 * Records that the current call's outcome contains this user's data, directly or in a pass, so that erasing the user also removes
 * the stored outcome. Does nothing for a call without an idempotency key.
 */
export function linkUserToCall(reader: StorageReader, userId: string): void {
  linkedUserListeners.get(reader)?.(userId);
}

/** Returns the ID of the user whose data an outcome contains, or `null` if there is none. */
export function* findUserOfOutcome(
  reader: StorageReader,
  outcome: CallOutcome<unknown>,
): Step<string | null> {
  if (outcome.kind === "result") return findUserId(outcome.result);
  if (outcome.detail.code !== "user_already_exists") return null;
  const { email_already_exists: emails, external_id_already_exists: externalIds } = outcome.detail.conflicts;
  const user =
    emails === undefined
      ? yield* reader.findUserByExternalId(externalIds?.[0] ?? "")
      : yield* reader.findUserByEmail(foldEmail(emails[0]));
  return user?.id ?? null;
}

function findUserId(result: unknown): string | null {
  if (typeof result !== "object" || result === null) return null;
  if ("userId" in result && typeof result.userId === "string") return result.userId;
  const isUser = "object" in result && result.object === "user";
  return isUser && "id" in result && typeof result.id === "string" ? result.id : null;
}
