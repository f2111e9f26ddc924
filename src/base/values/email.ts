import { fold, isAscii } from "./text.js";
import { parseUrl } from "./url.js";

/**
 * Returns the canonical form of an email address for comparisons: case-folded, with the domain in ASCII (UTS 46). Addresses that
 * differ only in case or in the encoding of the domain have the same form.
 */
export function foldEmail(email: string): string {
  return fold(withAsciiDomains(email));
}

/** Maximum length of a domain name, in characters (RFC 1035, section 2.3.4). */
const MAX_DOMAIN_LENGTH = 253;

/** Two or more labels of letters, digits and hyphens. */
const domainName = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Returns an email address's domain in ASCII. Returns `null` if mail can't be delivered to the address, for example because its
 * domain is an IPv4 address.
 */
export function mailDomain(text: string): string | null {
  const host = /^[\p{L}\p{M}\p{N}.-]+$/u.test(text) ? parseUrl(`http://${text}`)?.hostname : undefined;
  if (host === undefined || host.length > MAX_DOMAIN_LENGTH || !domainName.test(host)) return null;
  return /\.[0-9]+$/.test(host) ? null : host;
}

/** Converts each domain after an `@` to ASCII. Leaves text that can't be a domain unchanged. */
export function withAsciiDomains(text: string): string {
  if (isAscii(text)) return text;
  return text.replace(/(?<=@)[\p{L}\p{M}\p{N}.-]+/gu, (domain) =>
    isAscii(domain) ? domain : (parseUrl(`http://${domain}`)?.hostname ?? domain),
  );
}
