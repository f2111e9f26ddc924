import { isLoyaltyError } from "../../../../src/base/errors.js";
import type { HttpRequest } from "../../index.js";
import { readWholeBody } from "../../request/body.js";
import { parseContentHeaders } from "../../request/http-message.js";
import { OAuthError } from "./oauth-error.js";

/** Maximum size of a form, in bytes (16 KiB). The limit is low because anonymous clients can send forms too. */
const MAX_FORM_BYTES = 16_384;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Reads the form in a request's body, even if the host has already parsed it.
 * @throws {OAuthError} `invalid_request` if the body isn't a form.
 */
export async function readForm({ headers, body }: HttpRequest): Promise<Parameters> {
  if (body.kind === "none") return new Parameters([]);
  const { type, isEncoded } = parseContentHeaders(headers);
  // A body without a content type must be empty, which only reading it can show.
  const mayBeEmpty = type === null && body.kind === "bytes";
  if (!(mayBeEmpty || type === "application/x-www-form-urlencoded") || isEncoded) {
    throw new OAuthError("invalid_request", "the body must be application/x-www-form-urlencoded");
  }
  switch (body.kind) {
    case "refused":
      throw new OAuthError("invalid_request", "the body couldn't be read");
    case "parsed":
      return new Parameters(parsePairs(body.value));
    case "bytes": {
      const text = await readText(body.chunks, headers);
      if (mayBeEmpty && text !== "")
        throw new OAuthError("invalid_request", "the request has no Content-Type header");
      return Parameters.parse(text);
    }
  }
}

async function readText(chunks: AsyncIterable<Uint8Array>, headers: HttpRequest["headers"]): Promise<string> {
  try {
    return utf8.decode(await readWholeBody(chunks, headers, MAX_FORM_BYTES));
  } catch (cause) {
    const status = isLoyaltyError(cause) ? cause.status : undefined;
    throw new OAuthError("invalid_request", "the body is too large or isn't valid UTF-8", status, { cause });
  }
}

/** Reads the object that a host's parser made from a form. Each value is a string, or a list if the name is repeated. */
function parsePairs(value: unknown): [name: string, value: string][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, values]): [string, string][] =>
    [values].flat().map((text) => {
      if (typeof text === "string") return [name, text];
      throw new OAuthError("invalid_request", "the body contains parameters that aren't strings");
    }),
  );
}

/** The parameters in a request's query or form. */
export class Parameters {
  private readonly values = new Map<string, string>();
  private readonly repeatedNames = new Set<string>();

  constructor(pairs: Iterable<readonly [name: string, value: string]>) {
    for (const [name, value] of pairs) {
      if (this.values.has(name)) this.repeatedNames.add(name);
      this.values.set(name, value);
    }
  }

  /**
   * Parses parameters, rejecting any malformed encoding because a lenient decoder could change a secret or a code.
   * @param query a URL's query string without the question mark, or the body of a form.
   * @throws {OAuthError} `invalid_request` if the percent-encoding is malformed or not UTF-8.
   */
  static parse(query: string): Parameters {
    const parts = query.split("&").filter((part) => part !== "");
    return new Parameters(
      parts.map((part) => {
        const [name = ""] = part.split("=", 1);
        return [decodeFormPart(name), decodeFormPart(part.slice(name.length + 1))];
      }),
    );
  }

  /**
   * Returns a parameter's value, or `null` if the parameter is missing or empty (RFC 6749, section 3.1).
   * @throws {OAuthError} `invalid_request` if the parameter is repeated.
   */
  find(name: string): string | null {
    if (this.repeatedNames.has(name))
      throw new OAuthError("invalid_request", `${name} was sent more than once`);
    return this.values.get(name) || null;
  }

  /**
   * Returns a required parameter's value.
   * @throws {OAuthError} `invalid_request` if the parameter is missing, empty, or repeated.
   */
  get(name: string): string {
    const value = this.find(name);
    if (value === null) throw new OAuthError("invalid_request", `${name} is required`);
    return value;
  }
}

/**
 * Decodes a name or a value of a form.
 * @throws {OAuthError} `invalid_request` if the percent-encoding is malformed or not UTF-8.
 */
export function decodeFormPart(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll("+", " "));
  } catch (cause) {
    throw new OAuthError("invalid_request", "the percent-encoding is malformed", undefined, { cause });
  }
}
