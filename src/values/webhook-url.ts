import { isLoopbackAddress, isPublicAddress } from "./public-address.js";
import { parseUrl } from "./url.js";

export const MAX_URL_LENGTH = 2_048;

/**
 * Returns a URL that webhooks may be sent to, normalized by the URL Standard; `null` for anything else. It must use https, without
 * a user or fragment, and its host must be a name or a public address. Other spellings of an address, such as decimal or
 * hexadecimal, are normalized before the check. The addresses behind a name are checked when a connection is made.
 * @param allowsLoopback also allows this machine, over http as well.
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
 * Returns the host's IP address; `null` if the host is a name.
 * @param host as normalized by the URL Standard, which turns every host that ends like an IPv4 address into one.
 */
function addressIn(host: string): string | null {
  if (host.startsWith("[")) return host.slice(1, -1);
  return /^[0-9]+(?:\.[0-9]+){3}$/.test(host) ? host : null;
}
