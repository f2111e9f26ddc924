import { createPrivateKey, type KeyObject } from "node:crypto";
import { type JWTPayload, SignJWT } from "jose";
import { isSecureOrLocal, parseUrl } from "../../../src/values/url.js";
import { toFields, tryParseJson } from "../json.js";
import { textOrFile } from "../setup.js";

/** An issuer of passes with its service account. */
export interface GoogleOptions {
  /** The number of the issuer, as the Google Pay & Wallet Console shows it. */
  readonly issuerId: string;
  /** The key of a service account: the text of its JSON file, or the name of that file. */
  readonly serviceAccount: string;
  /** Whose cards these are, as the wallet shows it. Default: the title of the card. */
  readonly issuerName?: string;
  /** The most calls a second of this process (default: 20). All processes share Google's limit of the issuer. */
  readonly callsPerSecond?: number;
  /** The URL of the REST interface. Default: Google's. */
  readonly apiUrl?: string;
  /** The URL of access tokens. Default: the one that the service account names. */
  readonly tokenUrl?: string;
  /** The URL of the keys of callbacks. Default: Google's. */
  readonly keysUrl?: string;
}

/** A Google Wallet issuer and its service account. */
export interface GoogleIdentity {
  readonly issuerId: string;
  readonly issuerName: string | null;
  readonly clientEmail: string;
  /** The name of the key; `null` if the account does not say. */
  readonly keyId: string | null;
  readonly key: KeyObject;
  readonly callsPerSecond: number;
  readonly apiUrl: string;
  readonly tokenUrl: string;
  readonly keysUrl: string;
}

const API = "https://walletobjects.googleapis.com/walletobjects/v1";
const TOKENS = "https://oauth2.googleapis.com/token";
const KEYS = "https://pay.google.com/gp/m/issuer/keys";

/** Google's limit for an issuer. */
const CALLS_PER_SECOND = 20;

/**
 * Reads the service account.
 * @throws {TypeError} saying what can't be read or can't be right; it quotes no key.
 */
export function loadGoogleIdentity(options: GoogleOptions): GoogleIdentity {
  const { issuerId, issuerName = null, callsPerSecond = CALLS_PER_SECOND } = options;
  if (!/^\d{1,30}$/.test(issuerId)) throw new TypeError("Google's issuer id must be a number, as a text");
  if (!(callsPerSecond > 0)) throw new TypeError("the calls per second to Google must be more than 0");
  const account = accountIn(options.serviceAccount);
  const { client_email: clientEmail, private_key_id: keyId, token_uri: tokenUri } = account;
  if (typeof clientEmail !== "string" || !clientEmail.includes("@")) {
    throw new TypeError("Google's service account names no client_email: take its key in JSON");
  }
  return {
    ...{ issuerId, issuerName, clientEmail, callsPerSecond },
    keyId: typeof keyId === "string" ? keyId : null,
    key: keyIn(account.private_key),
    apiUrl: urlIn(options.apiUrl ?? API, "API"),
    tokenUrl: urlIn(options.tokenUrl ?? (typeof tokenUri === "string" ? tokenUri : TOKENS), "token"),
    keysUrl: urlIn(options.keysUrl ?? KEYS, "keys"),
  };
}

/** Signs a JWT (RFC 7519) as the service account. */
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

function accountIn(given: string): Readonly<Record<string, unknown>> {
  const isText = given.trimStart().startsWith("{");
  const account = tryParseJson(textOrFile(given, isText, "Google's service account"));
  // The error quotes nothing of the account: it holds the key.
  if (typeof account !== "object" || account === null) {
    throw new TypeError("Google's service account is no JSON object");
  }
  return toFields(account);
}

function keyIn(pem: unknown): KeyObject {
  try {
    const key = createPrivateKey(typeof pem === "string" ? pem : "");
    if (key.asymmetricKeyType === "rsa") return key;
  } catch {
    // The cause may quote the key.
  }
  throw new TypeError("Google's service account has no private_key that is RSA in PEM");
}

/** Refuses http except for tests on this machine, because signed texts and tokens are sent there. */
function urlIn(url: string, name: string): string {
  const parsed = parseUrl(url);
  if (parsed === null || !isSecureOrLocal(parsed)) {
    throw new TypeError(`Google's ${name} URL must be an https URL`);
  }
  return url.replace(/\/+$/, "");
}
