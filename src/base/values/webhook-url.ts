import { isLoopbackAddress, isPublicAddress } from "./public-address.js";
import { parseUrl } from "./url.js";

export const MAX_URL_LENGTH = 2_048;

/**
 * Parses and normalizes a webhook URL. Returns `null` if webhooks must not be sent to it. The URL must use https, must not
 * contain credentials or a fragment, and must have a name or a public IP address as its host. Decimal, hexadecimal, and other
 * notations of an IP address are normalized before the check. If the host is a name, its addresses are checked later, when a
 * connection is made.
 * @param allowsLoopback whether to also allow URLs that point to this machine, even over http.
 */
export function parseWebhookUrl(text: string, allowsLoopback: boolean): string | null {
  const url = text.length > MAX_URL_LENGTH ? null : parseUrl(text);
  if (url === null) return null;
  const { href, hostname } = url;
  if (url.username !== "" || url.password !== "" || href.includes("#") || hostname.endsWith(".")) return null;
  const protocols = isLoopback(hostname) ? (allowsLoopback ? ["https:", "http:"] : []) : ["https:"];
  const isAllowed = protocols.includes(url.protocol) && (isLoopback(hostname) || !isPrivate(hostname));
  return isAllowed && href.length <= MAX_URL_LENGTH ? href : null;
}

function isLoopback(host: string): boolean {
  const address = addressIn(host);
  return address === null ? /(?:^|\.)localhost$/.test(host) : isLoopbackAddress(address);
}

function isPrivate(host: string): boolean {
  const address = addressIn(host);
  return address !== null && !isPublicAddress(address);
}

/**
 * Returns the host's IP address, or `null` if the host is a name.
 * @param host a host normalized by the URL Standard, which converts every host that ends like an IPv4 address to one.
 */
function addressIn(host: string): string | null {
  if (host.startsWith("[")) return host.slice(1, -1);
  return /^[0-9]+(?:\.[0-9]+){3}$/.test(host) ? host : null;
}
