import type { z } from "zod";
import { invalid } from "../../../src/errors.js";
import { TOLD } from "../../../src/resources/parse.js";
import { headerValues } from "./headers.js";
import type { HttpRequest } from "./message.js";

/** What an answer says that kept to {@link wantsStrict}. */
export const APPLIED = "handling=strict";

/** Whether a caller prefers to be refused for fields that are unknown, rather than that they are ignored (RFC 7240). */
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
  const read = schema.safeParse(value);
  if (!read.success) return;
  const unknown = [...unknownIn(value, read.data, "")].slice(0, TOLD);
  if (unknown.length > 0) throw invalid(Object.fromEntries(unknown.map((path) => [path, "is unknown here"])));
}

/** The paths of what was left out when it was read. */
function* unknownIn(given: unknown, read: unknown, path: string): Generator<string> {
  if (!isObject(given) || !isObject(read)) return;
  for (const [key, value] of Object.entries(given)) {
    const at = path === "" ? key : `${path}.${key}`;
    if (Object.hasOwn(read, key)) yield* unknownIn(value, read[key], at);
    else if (value !== undefined) yield at;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
