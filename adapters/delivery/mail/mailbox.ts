import { toAsciiDomain } from "./dkim.js";

/** An email address with an optional display name. */
export interface Mailbox {
  readonly name: string | null;
  readonly address: string;
}

/** An address without quotes and comments, as the service accepts it. */
const addressPattern = /^[^\s\p{Cc}<>()[\]\\,;:"@]{1,64}@[^\s\p{Cc}<>()[\]\\,;:"@]{1,255}$/u;

/**
 * Matches a name followed by an address in angle brackets. The name may be quoted, with backslashes before quotes and backslashes.
 */
const mailboxPattern = /^(?:"((?:[^"\\\p{Cc}]|\\[^\p{Cc}])*)"\s*|([^<>\p{Cc}]*))<([^<>]*)>$/u;

/**
 * Parses a sender such as `Name <a@b>`, `"Name" <a@b>`, or `a@b` (RFC 5322, section 3.4).
 * @param option the option's name, for the error message.
 * @throws {TypeError} if the text has any other format.
 */
export function parseMailbox(text: string, option: string): Mailbox {
  const [, quoted, unquoted = "", mailAddress = text.trim()] = mailboxPattern.exec(text.trim()) ?? [];
  if (toAsciiAddress(mailAddress) === null)
    throw new TypeError(`${option} must be an address, or a name followed by an address in <>`);
  const name = (quoted?.replaceAll(/\\(.)/gu, "$1") ?? unquoted).trim();
  return { name: name === "" ? null : name, address: mailAddress };
}

/** Converts an address's domain to ASCII (RFC 5891). Returns `null` if the text isn't an email address. */
export function toAsciiAddress(text: string): string | null {
  const domain = toAsciiDomain(text);
  if (!addressPattern.test(text) || domain === "") return null;
  return `${text.slice(0, text.lastIndexOf("@"))}@${domain}`;
}
