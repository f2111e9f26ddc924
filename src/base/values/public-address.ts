import ipaddr from "ipaddr.js";
import { ipAddressOf } from "./ip-address.js";

/** All global unicast addresses allocated to date (RFC 4291, section 2.4; IANA's IPv6 global unicast assignments). */
const globalUnicast: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse("2000::"), 3];

/** The 6bone's former range, which was returned to IANA (RFC 3701). */
const formerTestNetwork: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse("3ffe::"), 16];

/** The platform's address in a virtual machine on Azure. Elsewhere it is an ordinary address. */
const AZURE_PLATFORM = "168.63.129.16";

/**
 * Returns whether it is safe to send webhooks to an IP address. Only global unicast addresses are allowed, because they are never
 * on a private network or the local machine. Special-purpose addresses (from IANA's registries), Azure's platform address, and IPv6
 * addresses that embed an IPv4 address (IPv4-mapped and -compatible, NAT64, 6to4, Teredo) are rejected.
 * @param ip an address in standard notation, without brackets. Any other text is rejected, including an address with a zone.
 */
export function isPublicAddress(ip: string): boolean {
  const address = ipAddressOf(ip);
  if (address === null || address.range() !== "unicast") return false;
  if (address instanceof ipaddr.IPv4) return address.toString() !== AZURE_PLATFORM;
  return address.match(globalUnicast) && !address.match(formerTestNetwork);
}

/**
 * Returns whether an IP address is a loopback address: ::1 or any address in 127.0.0.0/8.
 * @param ip an address in the notation that {@link isPublicAddress} expects.
 */
export function isLoopbackAddress(ip: string): boolean {
  return ipAddressOf(ip)?.range() === "loopback";
}
