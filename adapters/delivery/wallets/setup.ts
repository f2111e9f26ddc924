import { missingThreads } from "../../../src/base/signals.js";
import { checkPublicUrl, error, type SetupFinding, warning } from "../../setup/finding.js";
import { installCommand } from "../../setup/peers.js";
import { readTextFile, stripByteOrderMark } from "../../setup/text-file.js";
import { pickCardLook } from "./card-look.js";
import type { StampRenderer } from "./drawing.js";

/** All findings that the wallet setup check can report. */
export const findings = {
  nothingDrawn: warning(
    "stamps_not_drawn",
    `cards show stamps as numbers, not as a picture: to have them drawn, ${installCommand("@resvg/resvg-wasm")}`,
  ),
  drawingFailed: (reason: string) =>
    warning("stamps_not_drawn", `cards show stamps as numbers instead of a picture: ${reason}`),
  drawnWithoutThread: (reason: string) => warning("pictures_without_thread", reason),
  keyMismatch: error(
    "apple_key_mismatch",
    "Apple's key doesn't match the certificate; use the key that the signing request was created with",
  ),
  issuerMismatch: error(
    "apple_wwdr_mismatch",
    "Apple's certificate wasn't issued by this intermediate certificate; use Worldwide Developer Relations G4",
  ),
  expired: (code: string, name: string, day: string) =>
    error(`${code}_expired`, `${name} expired on ${day}; get a new one from Apple`),
  notYetValid: (code: string, name: string) => error(`${code}_not_yet_valid`, `${name} isn't valid yet`),
  expiring: (code: string, name: string, day: string, days: number) =>
    warning(`${code}_expiring`, `${name} expires in ${days} days, on ${day}; renew it`),
  accountRefused: (reason: string) =>
    error(
      "google_account_refused",
      `Google rejected the service account (${reason}); check whether its key was deleted`,
    ),
  issuerRefused: (issuerId: string, reason: string) =>
    error(
      "google_issuer_refused",
      `Google doesn't let the service account act for issuer ${issuerId} (${reason}); invite it as a user there, and turn on the Google Wallet API`,
    ),
  unreachable: (reason: string) =>
    warning("google_unreachable", `Google Wallet couldn't be checked: ${reason}`),
  classRejected: (id: string) =>
    error(
      "google_class_rejected",
      `Google rejected the class ${id}; see its review in the Google Wallet console`,
    ),
};

/**
 * Checks the URL that phones and wallet services use to reach the server. The URL must use https. An http URL on this machine, as
 * used in tests, is reported only as a warning.
 * @returns the problems found, if any.
 */
export function findUrlProblems(publicUrl: string): SetupFinding[] {
  return checkPublicUrl(publicUrl, {
    insecure: "phones and wallets don't accept http",
    local: "phones can't reach it",
  });
}

/**
 * Renders a stamp to check that drawing works and runs in a thread.
 * @param renderer the renderer, or `null` if none is installed.
 * @returns the problems found, if any.
 */
export async function findDrawingProblems(renderer: StampRenderer | null): Promise<SetupFinding[]> {
  if (renderer === null) return [findings.nothingDrawn];
  const state = { look: pickCardLook(null), filled: 1, total: 2 };
  try {
    await renderer.strip(state, 1, async () => null);
  } catch (error) {
    return [findings.drawingFailed(error instanceof Error ? error.message : String(error))];
  }
  const missing = missingThreads.readAll().filter(({ work }) => work === "pictures");
  return missing.map(({ message }) => findings.drawnWithoutThread(message));
}

/**
 * Returns the option's text, reading it from a file if the option is a path.
 * @param isText whether `value` is the text itself rather than a path.
 * @param name the option's name, for the error message.
 * @throws {TypeError} if the file can't be read.
 */
export function readTextOrFile(value: string, isText: boolean, name: string): string {
  return isText ? stripByteOrderMark(value) : readTextFile(value, `the file with ${name}`);
}
