import ipaddr from "ipaddr.js";

export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * Parses an IP address. IPv4 must have four decimal parts without leading zeros, and IPv6 must not have a zone.
 * @returns the address, or `null` if the text is anything else, including notations that programs interpret differently, such as
 *   `010.0.0.1` and `127.1`.
 */
export function ipAddressOf(text: string): IpAddress | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  // `::192.0.2.7` is deprecated (RFC 4291, section 2.5.5.1), and some programs read it as the IPv4-mapped address.
  const isOne = /^[0-9a-f:.]+$/i.test(text) && !/^::[0-9]+\./.test(text) && ipaddr.IPv6.isValid(text);
  return isOne ? ipaddr.IPv6.parse(text) : null;
}

/** Converts an IPv4-mapped IPv6 address (`::ffff:0:0/96`) to IPv4. Returns any other address unchanged. */
export function unmapped(address: IpAddress): IpAddress {
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/**
 * Parses a client's IP address.
 * @param text the address, optionally with a zone, which servers append to link-local addresses to name one of their own network
 *   interfaces.
 * @returns the address without its zone, with an IPv4-mapped address converted to IPv4, or `null` if the text isn't an IP address.
 */
export function clientAddressOf(text: string): IpAddress | null {
  const address = ipAddressOf(text.split("%", 1)[0] ?? "");
  return address && unmapped(address);
}
