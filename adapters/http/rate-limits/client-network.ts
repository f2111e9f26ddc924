import ipaddr from "ipaddr.js";

/**
 * The network that a client is told apart by: an IPv4 address, also one that is written as IPv6, or the first 64 bits of
 * an IPv6 address, since whoever has one of these has all of its network.
 * @returns `null` when the address is none.
 */
export function networkOf(address: string): string | null {
  if (!ipaddr.isValid(address)) return null;
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  return `${parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(":")}::/64`;
}
