import ipaddr from "ipaddr.js";

export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * Reads an IP address: IPv4 in four decimal parts without zeros before them, or IPv6 without a zone.
 * @returns `null` for anything else, also for spellings that programs read differently, such as `010.0.0.1` and `127.1`.
 */
export function ipAddressOf(text: string): IpAddress | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  // `::192.0.2.7` is deprecated (RFC 4291, section 2.5.5.1), and some take it for the mapped address.
  const isOne = /^[0-9a-f:.]+$/i.test(text) && !/^::[0-9]+\./.test(text) && ipaddr.IPv6.isValid(text);
  return isOne ? ipaddr.IPv6.parse(text) : null;
}

/** An address of IPv4 that is written as one of IPv6 (`::ffff:0:0/96`), as the former. */
export function unmapped(address: IpAddress): IpAddress {
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/**
 * Reads the IP address of a client.
 * @param text may name a zone, as servers do for link-local addresses: that is one of their own interfaces.
 */
export function clientAddressOf(text: string): IpAddress | null {
  const address = ipAddressOf(text.split("%", 1)[0] ?? "");
  return address && unmapped(address);
}
