import { readFileSync } from "node:fs";
import { urlOf } from "../../src/values/url.js";
import { type Drawer, lookOf } from "./drawing.js";

/** Something that is wrong with how wallets are set up, or soon will be. */
export interface Finding {
  readonly severity: "error" | "warning";
  readonly code: string;
  /** In words, with what to do. It quotes no secret. */
  readonly message: string;
}

const error = (code: string, message: string): Finding => ({ severity: "error", code, message });
const warning = (code: string, message: string): Finding => ({ severity: "warning", code, message });

/** Everything that can be found, with its text. */
export const findings = {
  urlMalformed: error("public_url_invalid", "the public URL must be an https URL"),
  urlWithExtras: error(
    "public_url_invalid",
    "the public URL must have no user, query, fragment and slash at its end",
  ),
  urlLocal: warning(
    "public_url_insecure",
    "the public URL is on this machine: only tests reach it, no phone does",
  ),
  urlInsecure: error("public_url_insecure", "the public URL must be https: phones and wallets refuse http"),
  nothingDrawn: warning(
    "stamps_not_drawn",
    "stamps are told in numbers alone, and pictures kept as they were sent: install @resvg/resvg-wasm",
  ),
  keyMismatch: error(
    "apple_key_mismatch",
    "Apple's key is not that of the certificate: take the key of the signing request",
  ),
  issuerMismatch: error(
    "apple_wwdr_mismatch",
    "Apple's intermediate certificate did not issue the certificate: take Worldwide Developer Relations G4",
  ),
  expired: (code: string, name: string, day: string) =>
    error(`${code}_expired`, `${name} expired on ${day}: get another one from Apple`),
  notYetValid: (code: string, name: string) => error(`${code}_not_yet_valid`, `${name} is not valid yet`),
  expiring: (code: string, name: string, day: string, days: number) =>
    warning(`${code}_expiring`, `${name} expires in ${days} days, on ${day}: renew it`),
  accountRefused: (reason: string) =>
    error(
      "google_account_refused",
      `Google does not take the service account (${reason}): is its key deleted?`,
    ),
  issuerRefused: (issuerId: string, reason: string) =>
    error(
      "google_issuer_refused",
      `Google lets the service account not speak for issuer ${issuerId} (${reason}): invite it as a user there, and turn on the Google Wallet API`,
    ),
  unreachable: (why: string) =>
    warning(
      "google_unreachable",
      `Google's wallet could not be asked, so what it knows was not checked: ${why}`,
    ),
  classRejected: (id: string) =>
    error("google_class_rejected", `Google did not accept the class ${id}: see its review in the console`),
};

/** Checks the URL at which wallets reach the server: they take https alone, but for tests on this machine. */
export function publicUrlFindings(publicUrl: string): Finding[] {
  const url = urlOf(publicUrl);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return [findings.urlMalformed];
  if (url.username !== "" || url.search !== "" || url.hash !== "" || publicUrl.endsWith("/")) {
    return [findings.urlWithExtras];
  }
  if (url.protocol === "https:") return [];
  return [isLoopback(url.hostname) ? findings.urlLocal : findings.urlInsecure];
}

/** Draws a stamp to see whether it can be done. @param drawer `null` when none is installed. */
export async function drawingFindings(drawer: Drawer | null): Promise<Finding[]> {
  const state = { look: lookOf(null), filled: 1, total: 2 };
  const drawn = await drawer?.strip(state, 1, async () => null).catch(() => null);
  return drawn == null ? [findings.nothingDrawn] : [];
}

export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

/** Returns a text as it is, or that of a file. @throws {TypeError} when the file can't be read. */
export function textOrFile(given: string, isText: boolean, name: string): string {
  if (isText) return given;
  try {
    return readFileSync(given, "utf8");
  } catch (cause) {
    throw new TypeError(`the file of ${name} can't be read`, { cause });
  }
}
