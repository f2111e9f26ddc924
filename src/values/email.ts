import { fold, isAscii } from "./text.js";
import { parseUrl } from "./url.js";

/** The form in which emails are compared: folded, with the domain in ASCII (UTS 46). One mailbox has one, however it is spelled. */
export function foldEmail(email: string): string {
  return fold(withAsciiDomains(email));
}

/** The longest name of a domain, in characters (RFC 1035, section 2.3.4). */
const MAX_DOMAIN_LENGTH = 253;

/** Two labels or more of letters, digits and hyphens. */
const domainName = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Returns the domain of an email in ASCII; `null` for a text that no mail can be sent to, such as an address of IPv4. */
export function mailDomain(text: string): string | null {
  const host = /^[\p{L}\p{M}\p{N}.-]+$/u.test(text) ? parseUrl(`http://${text}`)?.hostname : undefined;
  if (host === undefined || host.length > MAX_DOMAIN_LENGTH || !domainName.test(host)) return null;
  return /\.[0-9]+$/.test(host) ? null : host;
}

/** A text in which each domain behind an `@` stands in ASCII. One that can't be a domain stays as it is. */
export function withAsciiDomains(text: string): string {
  if (isAscii(text)) return text;
  return text.replace(/(?<=@)[\p{L}\p{M}\p{N}.-]+/gu, (domain) =>
    isAscii(domain) ? domain : (parseUrl(`http://${domain}`)?.hostname ?? domain),
  );
}
