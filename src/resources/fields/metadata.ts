import * as z from "zod";
import { isStorable } from "../../values/text.js";

const MAX_BYTES = 16_384;
const MAX_LEVELS = 8;

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** The caller's own data on a user. */
export type Metadata = { readonly [key: string]: JsonValue };

/**
 * A JSON object of at most 16,384 UTF-8 bytes as `JSON.stringify` writes it and at most 8 levels, itself the
 * first. Every key is an ordinary key, `__proto__` too, which is why this is no zod record.
 */
export const metadataSchema = z
  .custom<Metadata>()
  .superRefine((value, context) => {
    if (!isPlainObject(value)) {
      context.addIssue({ code: "invalid_type", expected: "object", input: value });
      return;
    }
    const message = complaint(value);
    if (message !== null) context.addIssue({ code: "custom", message });
  })
  .meta({ type: "object", additionalProperties: true });

function complaint(metadata: object): string | null {
  const message = contentComplaint(metadata, 1);
  if (message !== null) return message;
  return Buffer.byteLength(JSON.stringify(metadata)) > MAX_BYTES
    ? `must be at most ${MAX_BYTES} bytes`
    : null;
}

/** Looks no deeper than the limit, so neither a hostile depth nor a cycle exhausts the stack. */
function contentComplaint(value: unknown, level: number): string | null {
  if (typeof value === "string") return textComplaint(value);
  if (value === null || typeof value === "boolean" || Number.isFinite(value)) return null;
  if (!Array.isArray(value) && !isPlainObject(value)) return "must hold JSON values only";
  if (level > MAX_LEVELS) return `must be at most ${MAX_LEVELS} levels deep`;
  const entries: Iterable<[unknown, unknown]> = Array.isArray(value)
    ? value.entries()
    : Object.entries(value);
  for (const [key, child] of entries) {
    const message =
      (typeof key === "string" ? textComplaint(key) : null) ?? contentComplaint(child, level + 1);
    if (message !== null) return message;
  }
  return null;
}

function textComplaint(text: string): string | null {
  return isStorable(text) ? null : "must not contain NUL or lone surrogates";
}

function isPlainObject(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

export function metadataOf(json: string): Metadata {
  return json === "{}" ? {} : JSON.parse(json);
}
