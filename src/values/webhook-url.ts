import { isLoopbackAddress, isPublicAddress } from "./public-address.js";
import { parseUrl } from "./url.js";

export const MAX_URL_LENGTH = 2_048;

/**
 * A URL that webhooks may be sent to, as the URL Standard writes it; `null` for every other text. That is https without
 * user and fragment, to a name or a public address. Spellings of an address, such as decimal or hexadecimal ones, have
 * become the usual one when it is looked at. What a name resolves to is looked at when it is connected to.
 * @param allowsLoopback allows this machine too, over http as well.
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

/** `null` if the host, as the URL Standard writes it, is a name: what ends like an address of version 4 is one. */
function addressIn(host: string): string | null {
  if (host.startsWith("[")) return host.slice(1, -1);
  return /^[0-9]+(?:\.[0-9]+){3}$/.test(host) ? host : null;
}
