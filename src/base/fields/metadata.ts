import * as z from "zod";
import { isExactNumber, withInexactAsInfinite } from "../values/metadata-value.js";
import { isStorable } from "../values/text.js";

const MAX_BYTES = 16_384;
/** Minimum number of bytes per value: a digit and a comma. */
const MIN_BYTES = 2;
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
    const issue = findIssue(value);
    if (issue !== null) context.addIssue({ code: "custom", ...issue });
  })
  .meta({ type: "object", additionalProperties: true });

interface TextIssue {
  readonly message: string;
  /** The path of the value within the metadata. Absent for errors that concern the metadata as a whole. */
  readonly path?: PropertyKey[];
}

const tooLongIssue: TextIssue = { message: `must be at most ${MAX_BYTES} bytes` };

function findIssue(metadata: object): TextIssue | null {
  const issue = findContentIssue(metadata, [], { remaining: MAX_BYTES / MIN_BYTES });
  if (issue !== null) return issue;
  return Buffer.byteLength(JSON.stringify(metadata)) > MAX_BYTES ? tooLongIssue : null;
}

/**
 * Validates a value and its children. It stops at the maximum depth, so that neither deep nesting nor a cycle exhausts the stack,
 * and when it has seen more values than could fit, because a hostile body can have hundreds of thousands.
 */
function findContentIssue(
  value: unknown,
  path: PropertyKey[],
  room: { remaining: number },
): TextIssue | null {
  room.remaining -= 1;
  if (room.remaining < 0) return tooLongIssue;
  if (typeof value === "string") return findTextIssue(value);
  if (typeof value === "number") return isExactNumber(value) ? null : { message: INEXACT, path };
  if (value === null || typeof value === "boolean") return null;
  if (!Array.isArray(value) && !isPlainObject(value)) return { message: "must contain only JSON values" };
  if (path.length >= MAX_LEVELS) return { message: `must be at most ${MAX_LEVELS} levels deep` };
  const isList = Array.isArray(value);
  const keys = isList ? value.keys() : Object.keys(value);
  for (const key of keys) {
    const child: unknown = Reflect.get(value, key);
    const issue =
      (typeof key === "string" ? findTextIssue(key) : null) ?? findContentIssue(child, [...path, key], room);
    if (issue !== null) return issue;
  }
  return null;
}

function findTextIssue(text: string): TextIssue | null {
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
  const markedText = withInexactAsInfinite(json);
  if (markedText === json) return body;
  const parsedCopy: unknown = JSON.parse(markedText);
  takeMetadata(body, parsedCopy);
  takeMetadata(Object(body).user, Object(parsedCopy).user);
  return body;
}

function hasMetadata(value: unknown): value is object {
  return isPlainObject(value) && Object.hasOwn(value, "metadata");
}

function takeMetadata(to: unknown, from: unknown): void {
  if (!hasMetadata(to) || !hasMetadata(from)) return;
  Reflect.set(to, "metadata", Reflect.get(from, "metadata"));
}
