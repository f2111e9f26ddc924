import type { Step } from "../concurrency/step.js";
import type { MissingResource } from "../error-messages.js";
import { type ErrorCode, type ErrorDetail, isLoyaltyError, LoyaltyError } from "../errors.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import { foldEmail } from "../values/email.js";

/** An answer is the result of a call, or an error that the same call would meet again. */
export type CallOutcome<T> =
  | {
      readonly kind: "result";
      readonly result: T;
      /** True if a call that returns an existing resource or creates one has created it. */
      readonly isNew: boolean;
    }
  | { readonly kind: "failure"; readonly detail: ErrorDetail; readonly missing: MissingResource | null };

type Failure = Extract<CallOutcome<never>, { readonly kind: "failure" }>;

/** Failures with these statuses are stored, as results are. */
const KEPT_STATUSES: readonly number[] = [404, 409];

/** These failures end by themselves soon: a call with the key may be made again. */
const passing: readonly ErrorCode[] = [
  "idempotency_key_in_use",
  "pass_notified_recently",
  "message_tested_recently",
  "person_mailed_recently",
];

/** The failure to keep; `null` for an error after which the call may be tried again. */
export function toSavedFailure(error: unknown): CallOutcome<never> | null {
  if (!isLoyaltyError(error) || !KEPT_STATUSES.includes(error.status)) return null;
  if (passing.includes(error.code)) return null;
  return { kind: "failure", detail: error.detail, missing: error.missing };
}

const newResults = new WeakSet<object>();

/** Marks the result of a get-or-create call that created the resource. Returns the result. */
export function markNew<T extends object>(result: T): T {
  newResults.add(result);
  return result;
}

/** Returns the answer with a result. */
export function answerWith<T>(result: T): CallOutcome<T> {
  const isNew = typeof result === "object" && result !== null && newResults.has(result);
  return { kind: "result", result, isNew };
}

/** The result of an answer. @throws {LoyaltyError} the failure that it is. */
export function unwrapOutcome<T>(answer: CallOutcome<T>): T {
  if (answer.kind === "failure") throw toLoyaltyError(answer);
  return answer.result;
}

/** The error that a failure is. */
export function toLoyaltyError({ detail, missing }: Failure): LoyaltyError {
  return new LoyaltyError(detail, { missing });
}

const listeners = new WeakMap<StorageReader, (userId: string) => void>();

/** Hears of the users whom a transaction finds by {@link linkUserToCall}. */
export function listenForLinkedUser(tx: StorageReader, listener: (userId: string) => void): void {
  listeners.set(tx, listener);
}

/** Links a call's answer to a user whom the call is about, itself or by a pass. */
export function linkUserToCall(reader: StorageReader, userId: string): void {
  listeners.get(reader)?.(userId);
}

/** Returns the id of the user that an outcome contains, or `null`. */
export function* findUserOfOutcome(
  reader: StorageReader,
  organizationId: string,
  answer: CallOutcome<unknown>,
): Step<string | null> {
  if (answer.kind === "result") return userIn(answer.result);
  if (answer.detail.code !== "user_already_exists") return null;
  const { email_already_exists: emails, external_id_already_exists: externalIds } = answer.detail.conflicts;
  const user =
    emails === undefined
      ? yield* reader.findUserByExternalId(organizationId, externalIds?.[0] ?? "")
      : yield* reader.findUserByEmail(organizationId, foldEmail(emails[0]));
  return user?.id ?? null;
}

function userIn(result: unknown): string | null {
  if (typeof result !== "object" || result === null) return null;
  if ("userId" in result && typeof result.userId === "string") return result.userId;
  const isUser = "object" in result && result.object === "user";
  return isUser && "id" in result && typeof result.id === "string" ? result.id : null;
}
