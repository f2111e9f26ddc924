import type { z } from "zod";
import { refuseKeys, unknownKeys } from "../../../src/resources/unknown-keys.js";
import { headerValues } from "./headers.js";
import type { HttpRequest } from "./message.js";

/** What an answer says that kept to {@link wantsStrict}. */
export const APPLIED = "handling=strict";

/** Whether a caller prefers to be refused for what is unknown, rather than that it is ignored (RFC 7240). */
export function wantsStrict(headers: HttpRequest["headers"]): boolean {
  return headerValues(headers, "prefer")
    .flatMap((value) => value.split(","))
    .some((preference) => /^\s*handling\s*=\s*"?strict"?\s*(;|$)/i.test(preference));
}

/**
 * Refuses what has fields that its schema does not know. What is wrong otherwise is left to the use case.
 * @throws {LoyaltyError} `validation_failed` on each of them, by its path.
 */
export function refuseUnknown(schema: z.ZodType, value: unknown): void {
  const unknown = unknownKeys(schema, value);
  if (unknown.length > 0 && isRight(schema, value)) refuseKeys(unknown);
}

function isRight(schema: z.ZodType, value: unknown): boolean {
  try {
    return schema.safeParse(value).success;
  } catch (error) {
    // A filter so deep that it can't be read is refused by the use case, which measures it first.
    if (error instanceof RangeError) return false;
    throw error;
  }
}
