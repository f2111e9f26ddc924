import { type ErrorDetail, isLoyaltyError } from "loyalty-kit";

/** Resolves to the error that rejects a call. Rejects if the call succeeds, or fails in another way. */
export async function getErrorDetail(call: Promise<unknown>): Promise<ErrorDetail> {
  const answer = await call.catch((error: unknown) => {
    if (isLoyaltyError(error)) return error;
    throw error;
  });
  if (isLoyaltyError(answer)) return answer.detail;
  throw new Error(`not refused, but answered ${JSON.stringify(answer)}`);
}

/** Resolves to the sorted names of the fields that fail a call's validation. */
export async function getRefusedFields(call: Promise<unknown>): Promise<string[]> {
  const detail = await getErrorDetail(call);
  if (detail.code === "validation_failed") return Object.keys(detail.fields).sort();
  throw new Error(`refused with ${JSON.stringify(detail)}`);
}

/** The error for a missing resource. */
export const notFound: ErrorDetail = { code: "resource_not_found", params: null };

/** Returns the error for fields of a wrong JSON type. */
export function wrongType(...params: string[]): ErrorDetail {
  return { code: "wrong_param_type", params };
}

/** Returns a value without its type, as untyped code would pass it. */
export function untyped(value: unknown): ReturnType<typeof JSON.parse> {
  return value;
}
