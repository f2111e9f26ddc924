import type { App } from "../../../../src/access/app-schema.js";
import { serviceInternals } from "../../../../src/internals.js";
import type { LoyaltyService } from "../../../../src/loyalty-service.js";
import type { HttpRequest } from "../../index.js";
import { parseAuthorization } from "../../request/headers.js";
import { OAuthError } from "./oauth-error.js";
import type { Parameters } from "./parameters.js";

interface Credentials {
  readonly id: string;
  /** The app's secret; `null` if none was sent, which is normal for a public app. */
  readonly secret: string | null;
}

const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Authenticates the app that sent a request. A confidential app sends its secret in the HTTP Basic header or in the form (RFC 6749,
 * section 2.3.1). A public app sends only its ID (section 3.2.1). Secrets have 190 random bits, so they can't be guessed. A
 * malformed secret is rejected without a lookup.
 * @throws {OAuthError} `invalid_client`, or `invalid_request` if the request contains the secret twice.
 */
export async function authenticateApp(
  loyalty: LoyaltyService,
  headers: HttpRequest["headers"],
  form: Parameters,
): Promise<App> {
  const { id, secret } = parseCredentials(headers, form);
  const app = await serviceInternals(loyalty).appTokens.authenticate(id, secret);
  if (app === null) throw new OAuthError("invalid_client", "the client id or secret is wrong");
  return app;
}

function parseCredentials(headers: HttpRequest["headers"], form: Parameters): Credentials {
  const authorization = parseAuthorization(headers);
  const id = form.find("client_id");
  const secret = form.find("client_secret");
  if (authorization === null) {
    if (id === null) throw new OAuthError("invalid_client", "the app must authenticate");
    return { id, secret };
  }
  const { scheme, token } = authorization;
  const inHeader = scheme === "basic" && token !== null ? basicCredentials(token) : null;
  if (inHeader === null)
    throw new OAuthError("invalid_client", "send a single Authorization header with HTTP Basic");
  if (secret !== null)
    throw new OAuthError("invalid_request", "the client secret was sent in both the header and the body");
  if (id !== null && id !== inHeader.id) {
    throw new OAuthError("invalid_request", "client_id doesn't match the Authorization header");
  }
  return inHeader;
}

/**
 * Parses HTTP Basic credentials. Both parts are form-encoded before they are joined.
 * @returns `null` if they are malformed.
 */
function basicCredentials(encoded: string): Credentials | null {
  if (!base64.test(encoded)) return null;
  try {
    const text = utf8.decode(Buffer.from(encoded, "base64"));
    const colon = text.indexOf(":");
    if (colon < 0) return null;
    return { id: formDecoded(text.slice(0, colon)), secret: formDecoded(text.slice(colon + 1)) };
  } catch {
    return null;
  }
}

/** @throws an error if the encoding is malformed. */
function formDecoded(text: string): string {
  return decodeURIComponent(text.replaceAll("+", " "));
}
