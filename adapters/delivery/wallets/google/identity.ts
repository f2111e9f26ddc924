import { createPrivateKey, type KeyObject } from "node:crypto";
import { type JWTPayload, SignJWT } from "jose";
import { isSecureOrLocal, parseUrl } from "../../../../src/base/values/url.js";
import { toFields, tryParseJson } from "../json.js";
import { readTextOrFile } from "../setup.js";

/** Settings for a Google Wallet issuer and its service account. */
export interface GoogleOptions {
  /** The issuer ID shown in the Google Pay & Wallet Console. */
  readonly issuerId: string;
  /** The service account's key, as the content of its JSON file or the path to the file. */
  readonly serviceAccount: string;
  /** The issuer name that Google Wallet shows on a shop's cards if the shop hasn't set its own name. Default: the card's title. */
  readonly issuerName?: string;
  /**
   * Maximum number of calls per second from this process. Google's own limit is per issuer, so all processes share it. Default: 20.
   */
  readonly callsPerSecond?: number;
  /** The base URL of the REST API. Default: Google's production API. */
  readonly apiUrl?: string;
  /**
   * The URL of the token endpoint. Default: the URL in the service account's key file, or Google's token endpoint if the file
   * doesn't contain one.
   */
  readonly tokenUrl?: string;
  /** The URL of the public keys that verify callbacks. Default: the URL where Google publishes its keys. */
  readonly keysUrl?: string;
}

/** A loaded service account and the settings of its Google Wallet issuer. */
export interface GoogleIdentity {
  readonly issuerId: string;
  readonly issuerName: string | null;
  readonly clientEmail: string;
  /** The key's ID, or `null` if the key file doesn't contain it. */
  readonly keyId: string | null;
  readonly key: KeyObject;
  readonly callsPerSecond: number;
  readonly apiUrl: string;
  readonly tokenUrl: string;
  readonly keysUrl: string;
}

const DEFAULT_API_URL = "https://walletobjects.googleapis.com/walletobjects/v1";
const DEFAULT_TOKEN_URL = "https://oauth2.googleapis.com/token";
const DEFAULT_KEYS_URL = "https://pay.google.com/gp/m/issuer/keys";

/** Google's limit per issuer, in calls per second. */
const DEFAULT_CALLS_PER_SECOND = 20;

/**
 * Loads and validates the service account's key.
 * @throws {TypeError} if the key can't be read or is invalid. The error message never quotes the key.
 */
export function loadGoogleIdentity(options: GoogleOptions): GoogleIdentity {
  const { issuerId, issuerName = null, callsPerSecond = DEFAULT_CALLS_PER_SECOND } = options;
  if (!/^\d{1,30}$/.test(issuerId))
    throw new TypeError("Google's issuer ID must be a number, given as a string");
  if (!(callsPerSecond > 0)) throw new TypeError("the number of calls per second to Google must be above 0");
  const account = parseAccount(options.serviceAccount);
  const { client_email: clientEmail, private_key_id: keyId, token_uri: tokenUri } = account;
  if (typeof clientEmail !== "string" || !clientEmail.includes("@")) {
    throw new TypeError("Google's service account has no client_email; use its key in JSON format");
  }
  return {
    ...{ issuerId, issuerName, clientEmail, callsPerSecond },
    keyId: typeof keyId === "string" ? keyId : null,
    key: parseKey(account.private_key),
    apiUrl: readUrl(options.apiUrl ?? DEFAULT_API_URL, "API"),
    tokenUrl: readUrl(
      options.tokenUrl ?? (typeof tokenUri === "string" ? tokenUri : DEFAULT_TOKEN_URL),
      "token",
    ),
    keysUrl: readUrl(options.keysUrl ?? DEFAULT_KEYS_URL, "keys"),
  };
}

/** Creates a JWT (RFC 7519) signed with the service account's key. */
export function signAccountJwt(
  { clientEmail, keyId, key }: GoogleIdentity,
  audience: string,
  claims: JWTPayload,
  now: number,
): Promise<string> {
  return new SignJWT(claims)
    .setProtectedHeader({ alg: "RS256", typ: "JWT", ...(keyId !== null && { kid: keyId }) })
    .setIssuer(clientEmail)
    .setAudience(audience)
    .setIssuedAt(Math.floor(now / 1_000))
    .sign(key);
}

function parseAccount(value: string): Readonly<Record<string, unknown>> {
  const isText = value.trimStart().startsWith("{");
  const account = tryParseJson(readTextOrFile(value, isText, "Google's service account"));
  // The error quotes nothing from the account, which contains the key.
  if (typeof account !== "object" || account === null) {
    throw new TypeError("Google's service account isn't a JSON object");
  }
  return toFields(account);
}

function parseKey(pem: unknown): KeyObject {
  try {
    const key = createPrivateKey(typeof pem === "string" ? pem : "");
    if (key.asymmetricKeyType === "rsa") return key;
  } catch {
    // The parser's error is left out, because it may quote the key.
  }
  throw new TypeError("Google's service account has no RSA private_key in PEM format");
}

/** Validates a URL. Plain http is refused except for tests on this machine, because signed data and tokens are sent there. */
function readUrl(url: string, name: string): string {
  const parsed = parseUrl(url);
  if (parsed === null || !isSecureOrLocal(parsed)) {
    throw new TypeError(`Google's ${name} URL must be an https URL`);
  }
  return url.replace(/\/+$/, "");
}
