import ipaddr from "ipaddr.js";
import { ipAddressOf } from "./ip-address.js";

/** All that is given out as global unicast so far (RFC 4291, section 2.4; IANA's IPv6 global unicast assignments). */
const globalUnicast: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse("2000::"), 3];

/** Given back by the 6bone (RFC 3701). */
const formerTestNetwork: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse("3ffe::"), 16];

/** The platform of a virtual machine in Azure, though it is an address like any other elsewhere. */
const AZURE_PLATFORM = "168.63.129.16";

/**
 * Returns whether webhooks may be sent to an address. Only global unicast addresses are allowed, which belong to no private network
 * and no single machine. Addresses with a special purpose (IANA's registries) and Azure's platform address are refused, and so are
 * version 6 addresses that stand for version 4: IPv4-mapped and -compatible, NAT64, 6to4, Teredo.
 * @param ip in the usual notation, without brackets; any other text is refused, also one with a zone.
 */
export function isPublicAddress(ip: string): boolean {
  const address = ipAddressOf(ip);
  if (address === null || address.range() !== "unicast") return false;
  if (address instanceof ipaddr.IPv4) return address.toString() !== AZURE_PLATFORM;
  return address.match(globalUnicast) && !address.match(formerTestNetwork);
}

/** Returns whether an address is this machine's own: 127.0.0.0/8 or ::1. @param ip as for {@link isPublicAddress}. */
export function isLoopbackAddress(ip: string): boolean {
  return ipAddressOf(ip)?.range() === "loopback";
}
