import { type ErrorDetail, isLoyaltyError, LoyaltyError, type Missing } from "../errors.js";

/** How a call ended: with its result, or with an error that the same call would meet again. */
export type Answer<T> =
  | { readonly kind: "result"; readonly result: T }
  | { readonly kind: "failure"; readonly detail: ErrorDetail; readonly missing?: Missing | null };

type Failure = Extract<Answer<never>, { readonly kind: "failure" }>;

/** The answers of these statuses are kept, beside those of success. */
const KEPT_STATUSES: readonly number[] = [404, 409];

/** The failure to keep; `null` for an error after which the call may be tried again. */
export function failureOf(error: unknown): Answer<never> | null {
  if (!isLoyaltyError(error) || !KEPT_STATUSES.includes(error.status)) return null;
  if (error.code === "idempotency_key_in_use") return null;
  return { kind: "failure", detail: error.detail, missing: error.missing };
}

/** The result of an answer. @throws {LoyaltyError} the failure that it is. */
export function resultOf<T>(answer: Answer<T>): T {
  if (answer.kind === "failure") throw errorOf(answer);
  return answer.result;
}

/** The error that a failure is. @param failure what earlier releases have kept does not say what was missing. */
export function errorOf({ detail, missing = null }: Failure): LoyaltyError {
  return new LoyaltyError(detail, { missing });
}
