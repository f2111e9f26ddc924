import type * as z from "zod";
import { createLoyaltyError, isLoyaltyError } from "../../../src/base/errors.js";
import { parseBody } from "../../../src/base/fields/metadata.js";
import { assertNoUnknownKeys, unknownKeys } from "../../../src/base/unknown-keys.js";
import {
  BodyTakenError,
  type Content,
  getHeaderValue,
  type HttpRequest,
  parseContentHeaders,
} from "./http-message.js";

/** Maximum size of a JSON body, in bytes (1 MiB). */
export const MAX_BODY_BYTES = 1_048_576;

/** Skips a leading byte-order mark, and rejects text that is not UTF-8. */
const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Reads a JSON body, even if the host has already parsed it. Doesn't validate the body's content, because the core does that.
 * @param isOptional whether the body can be empty, in which case the result is `undefined`.
 * @param maxBytes the maximum size in bytes. Default: 1 MiB.
 * @param schedule a function that calls `parse` and returns its result. It can delay the call, because parsing a large body blocks
 *   the event loop.
 * @throws {LoyaltyError} `malformed_request` if the body is empty, not UTF-8, or not JSON.
 * @throws {LoyaltyError} `unsupported_media_type` if the headers declare a content encoding, or a media type other than JSON.
 * @throws {LoyaltyError} `payload_too_large` as soon as the body exceeds `maxBytes` bytes.
 */
export async function readJson(
  { headers, body }: HttpRequest,
  isOptional = false,
  maxBytes = MAX_BODY_BYTES,
  schedule = (parse: () => unknown) => parse(),
): Promise<unknown> {
  if (body.kind === "none") throw createLoyaltyError("malformed_request");
  const content = parseContentHeaders(headers);
  // A body without a content type must be empty, which only reading it can show.
  const mayBeEmpty = content.type === null && body.kind === "bytes";
  if (content.isEncoded || !(mayBeEmpty || isJson(content)))
    throw createLoyaltyError("unsupported_media_type");
  assertNotTooLong(headers, maxBytes);
  switch (body.kind) {
    case "refused":
      throw createLoyaltyError(body.code);
    case "parsed":
      if (hasReplacementCharacter(body.value)) throw createLoyaltyError("malformed_request");
      return body.value;
    case "bytes": {
      const bytes = await readWholeBody(body.chunks, headers, maxBytes);
      if (isOptional && bytes.byteLength === 0) return undefined;
      if (mayBeEmpty && bytes.byteLength > 0) throw createLoyaltyError("unsupported_media_type");
      return schedule(() => parseJson(bytes));
    }
  }
}

/**
 * Rejects a body with fields that are declared by neither its schema nor its resource. Other invalid fields are reported later,
 * when the call is handled.
 * @throws {LoyaltyError} `validation_failed` with the path of each unknown field.
 */
export function assertKnownFields(schema: z.ZodType, value: unknown, resource: z.ZodType | null): void {
  const unknownFields = unknownKeys(schema, value, resource);
  if (unknownFields.length > 0 && isValid(schema, value)) assertNoUnknownKeys(unknownFields);
}

function isValid(schema: z.ZodType, value: unknown): boolean {
  try {
    return schema.safeParse(value).success;
  } catch (error) {
    // A filter nested too deeply to parse is rejected by the use case, which checks the depth first.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/**
 * Reads a body to its end.
 * @throws {LoyaltyError} `payload_too_large` if the body exceeds `maxBytes` bytes (default: 1 MiB). If its declared length exceeds
 *   the limit, the body isn't read at all.
 * @throws {LoyaltyError} `malformed_request` if the body is incomplete.
 * @throws {BodyTakenError} if the host has already consumed the body.
 */
export async function readWholeBody(
  chunks: AsyncIterable<Uint8Array>,
  headers: HttpRequest["headers"],
  maxBytes = MAX_BODY_BYTES,
): Promise<Uint8Array> {
  assertNotTooLong(headers, maxBytes);
  const parts: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of chunks) {
      length += chunk.byteLength;
      if (length > maxBytes) throw createLoyaltyError("payload_too_large");
      parts.push(chunk);
    }
  } catch (error) {
    // The client aborted the body and can no longer receive an error.
    if (isLoyaltyError(error) || error instanceof BodyTakenError) throw error;
    throw createLoyaltyError("malformed_request", null, { cause: error });
  }
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts, length);
}

function assertNotTooLong(headers: HttpRequest["headers"], maxBytes: number): void {
  if (Number(getHeaderValue(headers, "content-length")) > maxBytes)
    throw createLoyaltyError("payload_too_large");
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return parseBody(utf8.decode(bytes));
  } catch (cause) {
    throw createLoyaltyError("malformed_request", null, { cause });
  }
}

/**
 * Returns whether any string in the value, keys included, contains U+FFFD. If the host parsed the body, this character is the only
 * trace of bytes that were not UTF-8, and such a string must never be stored. The search is not recursive, so no depth exhausts the
 * stack.
 */
function hasReplacementCharacter(value: unknown): boolean {
  const pending = [value];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next === "string" && next.includes("\ufffd")) return true;
    if (typeof next !== "object" || next === null) continue;
    for (const [key, child] of Object.entries(next)) {
      if (key.includes("\ufffd")) return true;
      if (child !== undefined) pending.push(child);
    }
  }
  return false;
}

/** Returns whether the type is `application/json` with any parameters, except a charset other than UTF-8. */
function isJson({ type, parameters }: Content): boolean {
  return type === "application/json" && (parameters.get("charset") ?? "utf-8").toLowerCase() === "utf-8";
}
