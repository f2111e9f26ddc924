import type { Step } from "../../base/concurrency/step.js";
import type { MissingResource } from "../../base/error-messages.js";
import { type ErrorCode, type ErrorDetail, isLoyaltyError, LoyaltyError } from "../../base/errors.js";
import { foldEmail } from "../../base/values/email.js";
import type { StorageReader } from "../../storage/storage-adapter.js";

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
export function answerWith<T>(result: T): CallOutcome<T> {
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

const listeners = new WeakMap<StorageReader, (userId: string) => void>();

/** Registers the listener that {@link linkUserToCall} calls with a user's ID during this transaction. */
export function listenForLinkedUser(tx: StorageReader, listener: (userId: string) => void): void {
  listeners.set(tx, listener);
}

/**
 * Records that the current call's outcome contains this user's data, directly or in a pass, so that erasing the user also removes
 * the stored outcome. Does nothing for a call without an idempotency key.
 */
export function linkUserToCall(reader: StorageReader, userId: string): void {
  listeners.get(reader)?.(userId);
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
