import { createHmac } from "node:crypto";
import { isSameSecret } from "../base/secrets/token-format.js";
import { foldEmail } from "../base/values/email.js";
import type { StoredMailQueue } from "../storage/mail.js";
import type { StoredUser } from "../storage/users.js";

const purposeLetters = { confirm: "c", refuse: "r", email: "e", wallet: "w" } as const;

/**
 * The purpose of a link in an email. A `confirm` link lets recipients confirm that the address is theirs or stop emails to it. A
 * `refuse` link only lets them stop emails. Every other link unsubscribes the customer from a channel.
 */
export type LinkPurpose = keyof typeof purposeLetters;

const purposesByLetter: ReadonlyMap<string, string> = new Map(
  Object.entries(purposeLetters).map(([purpose, letter]) => [letter, purpose]),
);

const SIGNATURE_LENGTH = 22;

const linkPattern = /^([0-9A-Za-z]{12})([crew])(0|[1-9a-z][0-9a-z]{0,10})-([0-9A-Za-z_-]{22})$/;

/** A parsed token whose signature hasn't been verified yet. */
export interface ParsedMailLink {
  /** The token that identifies the mail queue and, through the queue, the organization. */
  readonly queueToken: string;
  readonly purpose: LinkPurpose;
  readonly ordinal: number;
  readonly signature: string;
}

type LinkedUser = Pick<StoredUser, "ordinal" | "email">;

/**
 * Builds a link's signed token.
 * @param queue the mail queue, with its key decrypted.
 */
export function buildLinkToken(queue: StoredMailQueue, purpose: LinkPurpose, user: LinkedUser): string {
  const { ordinal, email } = user;
  const signature = signLink(queue, purpose, ordinal, email);
  return `${queue.token}${purposeLetters[purpose]}${ordinal.toString(36)}-${signature}`;
}

/** Parses a token without verifying its signature. Returns `null` if the string isn't a token. */
export function parseMailLink(text: string): ParsedMailLink | null {
  const [, queueToken, letter = "", digits = "", signature] = linkPattern.exec(text) ?? [];
  const purpose = purposesByLetter.get(letter);
  const ordinal = Number.parseInt(digits, 36);
  if (queueToken === undefined || signature === undefined || !isPurpose(purpose)) return null;
  return Number.isSafeInteger(ordinal) ? { queueToken, purpose, ordinal, signature } : null;
}

/**
 * Returns whether a link was signed by the given queue. If the link is for an email address, the signature covers that address, so
 * the link becomes invalid when the address changes.
 * @param queue the mail queue, with its key decrypted.
 * @param email the user's current email, or `null` if there is none.
 */
export function isSignedBy(queue: StoredMailQueue, link: ParsedMailLink, email: string | null): boolean {
  const { queueToken, purpose, ordinal, signature } = link;
  if (queueToken !== queue.token || (isAddressPurpose(purpose) && email === null)) return false;
  return isSameSecret(signLink(queue, purpose, ordinal, email), signature);
}

/** Returns whether links with the given purpose act on the address that the email was sent to, rather than on the customer. */
export function isAddressPurpose(purpose: LinkPurpose): purpose is "confirm" | "refuse" {
  return purpose === "confirm" || purpose === "refuse";
}

function signLink(
  { linkKey }: StoredMailQueue,
  purpose: LinkPurpose,
  ordinal: number,
  email: string | null,
): string {
  const signedParts = [
    purposeLetters[purpose],
    ordinal,
    isAddressPurpose(purpose) && email !== null ? foldEmail(email) : null,
  ];
  return createHmac("sha256", linkKey)
    .update(JSON.stringify(signedParts))
    .digest("base64url")
    .slice(0, SIGNATURE_LENGTH);
}

function isPurpose(text: string | undefined): text is LinkPurpose {
  return text !== undefined && Object.hasOwn(purposeLetters, text);
}
