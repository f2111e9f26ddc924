import { OAuthError } from "./oauth-error.js";

/** The parameters of a request, of its query or of its form. */
export class Parameters {
  private readonly values = new Map<string, string>();
  private readonly repeated = new Set<string>();

  constructor(pairs: Iterable<readonly [name: string, value: string]>) {
    for (const [name, value] of pairs) {
      if (this.values.has(name)) this.repeated.add(name);
      this.values.set(name, value);
    }
  }

  /**
   * @param query as a URL has it behind its question mark, or a form in its body.
   * @throws {OAuthError} `invalid_request` for percent-encoding that is malformed or not UTF-8: read as something else, a secret or a
   *   code would be another.
   */
  static parse(query: string): Parameters {
    const parts = query.split("&").filter((part) => part !== "");
    return new Parameters(
      parts.map((part) => {
        const [name = ""] = part.split("=", 1);
        return [formDecoded(name), formDecoded(part.slice(name.length + 1))];
      }),
    );
  }

  /**
   * A parameter; `null` if it was not sent, or without a value (RFC 6749, section 3.1).
   * @throws {OAuthError} `invalid_request` if it was sent twice.
   */
  find(name: string): string | null {
    if (this.repeated.has(name)) throw new OAuthError("invalid_request", `${name} was sent more than once`);
    return this.values.get(name) || null;
  }

  /** @throws {OAuthError} `invalid_request` if it is missing, or was sent twice. */
  get(name: string): string {
    const value = this.find(name);
    if (value === null) throw new OAuthError("invalid_request", `${name} is required`);
    return value;
  }
}

function formDecoded(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll("+", " "));
  } catch (cause) {
    throw new OAuthError("invalid_request", "the percent-encoding is malformed", undefined, { cause });
  }
}
