import { OAuthError } from "./oauth-error.js";

/** The parameters in a request's query or form. */
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
   * Parses parameters, rejecting any malformed encoding because a lenient decoder could change a secret or a code.
   * @param query a URL's query string without the question mark, or the body of a form.
   * @throws {OAuthError} `invalid_request` if the percent-encoding is malformed or not UTF-8.
   */
  static parse(query: string): Parameters {
    const parts = query.split("&").filter((part) => part !== "");
    return new Parameters(
      parts.map((part) => {
        const [name = ""] = part.split("=", 1);
        return [decodeForm(name), decodeForm(part.slice(name.length + 1))];
      }),
    );
  }

  /**
   * Returns a parameter's value, or `null` if the parameter is missing or empty (RFC 6749, section 3.1).
   * @throws {OAuthError} `invalid_request` if the parameter is repeated.
   */
  find(name: string): string | null {
    if (this.repeated.has(name)) throw new OAuthError("invalid_request", `${name} was sent more than once`);
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

function decodeForm(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll("+", " "));
  } catch (cause) {
    throw new OAuthError("invalid_request", "the percent-encoding is malformed", undefined, { cause });
  }
}
