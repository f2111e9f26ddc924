import type * as z from "zod";
import { createLoyaltyError, isLoyaltyError } from "../../../src/errors.js";
import { parseBody } from "../../../src/resources/fields/metadata.js";
import { assertNoUnknownKeys, unknownKeys } from "../../../src/resources/unknown-keys.js";
import { type Content, parseContentHeaders } from "./headers.js";
import { BodyTakenError, type HttpRequest, headerValue } from "./http-message.js";

/** The longest body that is read: 1 MiB. */
export const MAX_BODY_BYTES = 1_048_576;

/** Skips a leading byte-order mark, and rejects text that is not UTF-8. */
const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Reads a JSON body, also if the host has parsed it. The core validates the content.
 * @param isOptional true if it may be empty: then it is `undefined`.
 * @throws {LoyaltyError} `malformed_request` if it is empty, not UTF-8 or not JSON; `unsupported_media_type` if its headers declare
 *   something else, or compression; `payload_too_large` as soon as it exceeds `most` bytes (default: 1 MiB).
 * @param inTurn parses, perhaps later, because parsing a large body blocks everything else.
 */
export async function readJson(
  { headers, body }: HttpRequest,
  isOptional = false,
  most = MAX_BODY_BYTES,
  inTurn = (parse: () => unknown) => parse(),
): Promise<unknown> {
  if (body.kind === "none") throw createLoyaltyError("malformed_request");
  const content = parseContentHeaders(headers);
  // Without a type it must be empty, which shows when it is read.
  const mayBeEmpty = content.type === null && body.kind === "bytes";
  if (content.isEncoded || !(mayBeEmpty || isJson(content)))
    throw createLoyaltyError("unsupported_media_type");
  refuseLonger(headers, most);
  switch (body.kind) {
    case "refused":
      throw createLoyaltyError(body.code);
    case "parsed":
      if (hasReplacementCharacter(body.value)) throw createLoyaltyError("malformed_request");
      return body.value;
    case "bytes": {
      const bytes = await readWholeBody(body.chunks, headers, most);
      if (isOptional && bytes.byteLength === 0) return undefined;
      if (mayBeEmpty && bytes.byteLength > 0) throw createLoyaltyError("unsupported_media_type");
      return inTurn(() => parseJson(bytes));
    }
  }
}

/**
 * Rejects a body with fields that neither its schema nor its resource knows. The use case reports all other errors.
 * @throws {LoyaltyError} `validation_failed` on each of them, by its path.
 */
export function assertKnownFields(schema: z.ZodType, value: unknown, resource: z.ZodType | null): void {
  const unknown = unknownKeys(schema, value, resource);
  if (unknown.length > 0 && isRight(schema, value)) assertNoUnknownKeys(unknown);
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

/**
 * Reads a whole body.
 * @throws {LoyaltyError} `payload_too_large` before reading if the declared length exceeds `most` bytes (default: 1 MiB), otherwise
 *   as soon as the body does; `malformed_request` if it is incomplete.
 * @throws {BodyTakenError} if the host has read it.
 */
export async function readWholeBody(
  chunks: AsyncIterable<Uint8Array>,
  headers: HttpRequest["headers"],
  most = MAX_BODY_BYTES,
): Promise<Uint8Array> {
  refuseLonger(headers, most);
  const parts: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of chunks) {
      length += chunk.byteLength;
      if (length > most) throw createLoyaltyError("payload_too_large");
      parts.push(chunk);
    }
  } catch (error) {
    // The client broke the body off, and can no longer get an error.
    if (isLoyaltyError(error) || error instanceof BodyTakenError) throw error;
    throw createLoyaltyError("malformed_request", null, { cause: error });
  }
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts, length);
}

function refuseLonger(headers: HttpRequest["headers"], most: number): void {
  if (Number(headerValue(headers, "content-length")) > most) throw createLoyaltyError("payload_too_large");
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return parseBody(utf8.decode(bytes));
  } catch (cause) {
    throw createLoyaltyError("malformed_request", null, { cause });
  }
}

/**
 * True when a text anywhere in the value has U+FFFD. Where the host has parsed the body, that is all that is left
 * of bytes that were not UTF-8, and such a text must never be stored. Without recursion no depth exhausts the stack.
 */
function hasReplacementCharacter(value: unknown): boolean {
  const open = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === "string" && next.includes("\ufffd")) return true;
    if (typeof next !== "object" || next === null) continue;
    for (const [key, child] of Object.entries(next)) {
      if (key.includes("\ufffd")) return true;
      if (child !== undefined) open.push(child);
    }
  }
  return false;
}

/** True for `application/json` with any parameters, but in no other charset than UTF-8. */
function isJson({ type, parameters }: Content): boolean {
  return type === "application/json" && (parameters.get("charset") ?? "utf-8").toLowerCase() === "utf-8";
}
