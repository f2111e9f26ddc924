import { type ErrorDetail, isLoyaltyError, LoyaltyError } from "../errors.js";

/** How a call ended: with its result, or with an error that the same call would meet again. */
export type Answer<T> =
  | { readonly kind: "result"; readonly result: T }
  | { readonly kind: "failure"; readonly detail: ErrorDetail };

/** The answers of these statuses are kept, beside those of success. */
const KEPT_STATUSES: readonly number[] = [404, 409];

/** The failure to keep; `null` for an error after which the call may be tried again. */
export function failureOf(error: unknown): Answer<never> | null {
  if (!isLoyaltyError(error) || !KEPT_STATUSES.includes(error.status)) return null;
  if (error.code === "idempotency_key_in_use") return null;
  return { kind: "failure", detail: error.detail };
}

/** The result of an answer. @throws {LoyaltyError} the failure that it is. */
export function resultOf<T>(answer: Answer<T>): T {
  if (answer.kind === "failure") throw new LoyaltyError(answer.detail);
  return answer.result;
}
