import { type ErrorDetail, isLoyaltyError } from "loyalty-kit";

/** Resolves to the error that a call is refused with. Rejects when the call succeeds, or fails in another way. */
export async function getErrorDetail(call: Promise<unknown>): Promise<ErrorDetail> {
  const answer = await call.catch((error: unknown) => {
    if (isLoyaltyError(error)) return error;
    throw error;
  });
  if (isLoyaltyError(answer)) return answer.detail;
  throw new Error(`not refused, but answered ${JSON.stringify(answer)}`);
}

/** The fields whose values a call is refused for, sorted. */
export async function getRefusedFields(call: Promise<unknown>): Promise<string[]> {
  const detail = await getErrorDetail(call);
  if (detail.code === "validation_failed") return Object.keys(detail.fields).sort();
  throw new Error(`refused with ${JSON.stringify(detail)}`);
}

/** The error that a missing resource is refused with. */
export const notFound: ErrorDetail = { code: "resource_not_found", params: null };

/** The error that fields of a wrong JSON type are refused with. */
export function wrongType(...params: string[]): ErrorDetail {
  return { code: "wrong_param_type", params };
}

/** A value as it comes from code without types. */
export function untyped(value: unknown): ReturnType<typeof JSON.parse> {
  return value;
}
