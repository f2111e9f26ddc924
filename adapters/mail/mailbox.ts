import { domainOf } from "./dkim.js";

/** Whom a mail is from: an address, and the name that people see. */
export interface Mailbox {
  readonly name: string | null;
  readonly address: string;
}

const address = /^[^\s\p{Cc}<>()[\]\\,;:"@]{1,64}@[^\s\p{Cc}<>()[\]\\,;:"@]{1,255}$/u;

/** Reads `Name <a@b>` or `a@b`; the name may stand in quotes. @throws {TypeError} for anything else. */
export function mailboxOf(text: string, option: string): Mailbox {
  const [, name = "", named] = /^([^<>\p{Cc}]*)<([^<>]*)>$/u.exec(text.trim()) ?? [];
  const found = named ?? text.trim();
  if (!address.test(found) || domainOf(found) === "")
    throw new TypeError(`${option} must be an address, or a name and an address in <>`);
  const shown = name
    .trim()
    .replace(/^"(.*)"$/, "$1")
    .trim();
  return { name: shown === "" ? null : shown, address: found };
}
