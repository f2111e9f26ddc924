import * as z from "zod";
import { isExactNumber, withInexactAsInfinite } from "../values/json-numbers.js";
import { isStorable } from "../values/text.js";

const MAX_BYTES = 16_384;
/** Minimum number of bytes per value: a digit and a comma. */
const LEAST_BYTES = 2;
const MAX_LEVELS = 8;
const INEXACT = "can't be stored exactly: send it as a string";

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** Custom data that the host stores about a user, as a JSON object. */
export type Metadata = { readonly [key: string]: JsonValue };

/**
 * The schema for a JSON object of at most 16,384 UTF-8 bytes when serialized by `JSON.stringify`, and at most 8 levels deep,
 * including the object itself. It isn't a Zod record, because every key, even `__proto__`, must be an ordinary key.
 */
export const metadataSchema = z
  .custom<Metadata>()
  .superRefine((value, context) => {
    if (!isPlainObject(value)) {
      context.addIssue({ code: "invalid_type", expected: "object", input: value });
      return;
    }
    const found = complaint(value);
    if (found !== null) context.addIssue({ code: "custom", ...found });
  })
  .meta({ type: "object", additionalProperties: true });

interface Complaint {
  readonly message: string;
  /** The path of the value within the metadata. Absent for errors that concern the metadata as a whole. */
  readonly path?: PropertyKey[];
}

const tooLong: Complaint = { message: `must be at most ${MAX_BYTES} bytes` };

function complaint(metadata: object): Complaint | null {
  const found = contentComplaint(metadata, [], { left: MAX_BYTES / LEAST_BYTES });
  if (found !== null) return found;
  return Buffer.byteLength(JSON.stringify(metadata)) > MAX_BYTES ? tooLong : null;
}

/**
 * Validates a value and its children. It stops at the maximum depth, so that neither deep nesting nor a cycle exhausts the stack,
 * and when it has seen more values than could fit, because a hostile body can have hundreds of thousands.
 */
function contentComplaint(value: unknown, path: PropertyKey[], room: { left: number }): Complaint | null {
  room.left -= 1;
  if (room.left < 0) return tooLong;
  if (typeof value === "string") return textComplaint(value);
  if (typeof value === "number") return isExactNumber(value) ? null : { message: INEXACT, path };
  if (value === null || typeof value === "boolean") return null;
  if (!Array.isArray(value) && !isPlainObject(value)) return { message: "must contain only JSON values" };
  if (path.length >= MAX_LEVELS) return { message: `must be at most ${MAX_LEVELS} levels deep` };
  const isList = Array.isArray(value);
  const keys = isList ? value.keys() : Object.keys(value);
  for (const key of keys) {
    const child: unknown = Reflect.get(value, key);
    const found =
      (typeof key === "string" ? textComplaint(key) : null) ?? contentComplaint(child, [...path, key], room);
    if (found !== null) return found;
  }
  return null;
}

function textComplaint(text: string): Complaint | null {
  return isStorable(text) ? null : { message: "must not contain NUL or lone surrogates" };
}

function isPlainObject(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

export function metadataOf(json: string): Metadata {
  return json === "{}" ? {} : JSON.parse(json);
}

/**
 * Parses a JSON request body that can contain users' metadata. Numbers that `JSON.parse` would alter are replaced with infinity,
 * which the schema rejects.
 * @throws {SyntaxError} if the body isn't valid JSON.
 */
export function parseBody(json: string): unknown {
  const body: unknown = JSON.parse(json);
  if (!hasMetadata(body) && !hasMetadata(Object(body).user)) return body;
  const marked = withInexactAsInfinite(json);
  if (marked === json) return body;
  const other: unknown = JSON.parse(marked);
  takeMetadata(body, other);
  takeMetadata(Object(body).user, Object(other).user);
  return body;
}

function hasMetadata(of: unknown): of is object {
  return isPlainObject(of) && Object.hasOwn(of, "metadata");
}

function takeMetadata(to: unknown, from: unknown): void {
  if (!hasMetadata(to) || !hasMetadata(from)) return;
  Reflect.set(to, "metadata", Reflect.get(from, "metadata"));
}
