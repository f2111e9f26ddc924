import type { z } from "zod";
import { invalid } from "../../../src/errors.js";
import type { ActorDetails } from "../../../src/resources/actor.js";
import { refuseKeys, unknownKeys } from "../../../src/resources/unknown-keys.js";
import type { HttpRequest } from "./message.js";

/** The headers of a request of `node:http`, whose names and values take turns in one list. */
export class RawHeaders implements Iterable<readonly [name: string, value: string]> {
  constructor(private readonly list: readonly string[]) {}

  *[Symbol.iterator](): Generator<readonly [name: string, value: string]> {
    for (let at = 0; at + 1 < this.list.length; at += 2) yield [this.list[at] ?? "", this.list[at + 1] ?? ""];
  }

  /** Without making pairs of all of them. @param name in lower case. */
  valuesOf(name: string): string[] {
    const values: string[] = [];
    for (let at = 0; at + 1 < this.list.length; at += 2) {
      if (isNamed(this.list[at] ?? "", name)) values.push(this.list[at + 1] ?? "");
    }
    return values;
  }
}

/** Every value that was sent for a header, in order. @param name in lower case. */
export function headerValues(headers: HttpRequest["headers"], name: string): string[] {
  if (headers instanceof RawHeaders) return headers.valuesOf(name);
  const values: string[] = [];
  for (const [candidate, value] of headers) if (isNamed(candidate, name)) values.push(value);
  return values;
}

function isNamed(candidate: string, name: string): boolean {
  return candidate.length === name.length && candidate.toLowerCase() === name;
}

/** A header as one text, the values of a repeated one joined by commas; `null` when it was not sent. */
export function headerValue(headers: HttpRequest["headers"], name: string): string | null {
  const values = headerValues(headers, name);
  return values.length === 0 ? null : values.join(", ");
}

/** A host with or without a port (RFC 3986, section 3.2). It may be empty. */
const hostForm = /^(?:\[[0-9a-f:.%v]+\]|[\w.~!$&'()*+,;=%-]*)(?::[0-9]*)?$/i;

/**
 * False for a request that names several hosts, or something that is none, which must be refused (RFC 9112, section 3.2): a
 * proxy may have gone by another one than whoever reads it next. Servers that give repeated headers as one text have joined
 * them by a comma and a space.
 */
export function namesOneHost(headers: HttpRequest["headers"]): boolean {
  const [host = "", ...others] = headerValues(headers, "host");
  return others.length === 0 && hostForm.test(host);
}

/** The spelling that error texts use. */
export const LOYALTY_ACTOR = "Loyalty-Actor";

const fields: readonly string[] = ["subject", "location", "receipt"] satisfies (keyof ActorDetails)[];

/**
 * Reads the customer on whose behalf a request is made, from a query such as `subject=ada&location=Harbour`, so that a
 * header can hold any text. Returns `null` without the header.
 * @throws {LoyaltyError} `validation_failed` when there are several, and for a field that is unknown or is there twice.
 */
export function actorDetailsOf(headers: HttpRequest["headers"]): ActorDetails | null {
  const [sent, second] = headerValues(headers, "loyalty-actor");
  if (sent === undefined) return null;
  if (second !== undefined) throw invalid({ [LOYALTY_ACTOR]: "must be sent once" });
  const pairs = [...new URLSearchParams(sent)];
  const names = pairs.map(([name]) => name);
  const wrong = names.filter((name, at) => !fields.includes(name) || names.indexOf(name) !== at);
  if (wrong.length > 0)
    throw invalid({ [LOYALTY_ACTOR]: `must have ${fields.join(", ")}, each once at most` });
  return Object.fromEntries(pairs);
}

/** The spelling that error texts use. */
export const IDEMPOTENCY_KEY = "Idempotency-Key";

/** A text in the form of RFC 9651, section 3.3.3, as the IETF draft of the header has it. */
const quoted = /^"((?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;

/**
 * The key that a request was sent with, bare or quoted: both mean the same; `null` when there is none.
 * @throws {LoyaltyError} `validation_failed` when there are several, or its quotes are wrong.
 */
export function idempotencyKeyOf(headers: HttpRequest["headers"]): string | null {
  const [sent, second] = headerValues(headers, "idempotency-key");
  if (sent === undefined) return null;
  if (second !== undefined) throw invalid({ [IDEMPOTENCY_KEY]: "must be sent once" });
  if (!sent.startsWith('"')) return sent;
  const key = quoted.exec(sent)?.[1];
  if (key === undefined) throw invalid({ [IDEMPOTENCY_KEY]: "must be a text, bare or in double quotes" });
  return key.replaceAll(/\\(.)/g, "$1");
}

/** The `Preference-Applied` header of every response to a request for which {@link wantsStrict} is true. */
export const APPLIED = "handling=strict";

/** True when the caller prefers that unknown fields and parameters are refused rather than ignored (RFC 7240). */
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

/** The content type of every answer that has a body. */
export const JSON_TYPE = "application/json; charset=utf-8";

/** The headers of an answer while it is made; names in lower case. */
export type AnswerHeaders = Record<string, string>;

/** Returns the headers of a response without a body. No cache may keep it: others may not see what a token may. */
export function emptyHeaders(): AnswerHeaders {
  return { "cache-control": "no-store", "x-content-type-options": "nosniff" };
}

/** Returns the headers of a response with a JSON body, whose type browsers don't guess. */
export function jsonHeaders(): AnswerHeaders {
  return {
    "content-type": JSON_TYPE,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  };
}
