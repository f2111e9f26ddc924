import ipaddr from "ipaddr.js";

type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * Parses an IP address. IPv4 must have four decimal parts without leading zeros, and IPv6 must not have a zone.
 * @returns the address, or `null` if the text is anything else, including notations that programs interpret differently, such as
 *   `010.0.0.1` and `127.1`.
 */
function ipAddressOf(text: string): IpAddress | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  // `::192.0.2.7` is deprecated (RFC 4291, section 2.5.5.1), and some programs read it as the IPv4-mapped address.
  const isOne = /^[0-9a-f:.]+$/i.test(text) && !/^::[0-9]+\./.test(text) && ipaddr.IPv6.isValid(text);
  return isOne ? ipaddr.IPv6.parse(text) : null;
}

/** Converts an IPv4-mapped IPv6 address (`::ffff:0:0/96`) to IPv4. Returns any other address unchanged. */
function unmapped(address: IpAddress): IpAddress {
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

type Network = readonly [base: IpAddress, bits: number];

/** Number of bits before the IPv4 address in an IPv4-mapped IPv6 address (`::ffff:0:0/96`). */
const MAPPED_BITS = 96;

/**
 * Converts an IP address or a network in CIDR notation to its canonical form. Host bits are cleared, an IPv4-mapped IPv6 address
 * becomes IPv4, and a network that contains only one address is written as that address.
 * @returns the canonical form, or `null` if the text is anything else, including notations that programs interpret differently,
 *   such as `010.0.0.1`.
 */
export function canonicalNetwork(text: string): string | null {
  const network = parseNetwork(text);
  if (network === null) return null;
  const [base, bits] = network;
  return bits === widthOf(base) ? base.toString() : `${base}/${bits}`;
}

/** A set of IP addresses and networks that supports fast lookups. */
export class Networks {
  private readonly networks: readonly Network[];

  /** @param texts addresses and networks in a form that {@link canonicalNetwork} accepts. Other strings are ignored. */
  constructor(texts: readonly string[]) {
    this.networks = texts.map(parseNetwork).filter((network) => network !== null);
  }

  /**
   * Returns whether the set contains a client's address.
   * @param address the client's address. If it is `null` or malformed, the result is `false`.
   */
  has(address: string | null): boolean {
    const client = address === null ? null : clientAddressOf(address);
    return client !== null && this.networks.some((network) => isInNetwork(client, network));
  }

  /**
   * Returns whether a single network in this set contains every address in the given network. Returns `false` if the given network
   * is malformed.
   */
  contains(text: string): boolean {
    const network = parseNetwork(text);
    if (network === null) return false;
    const [base, bits] = network;
    return this.networks.some((network) => network[1] <= bits && isInNetwork(base, network));
  }
}

function parseNetwork(text: string): Network | null {
  const [, addressText = "", bitsWritten] = /^([0-9a-f:.]{2,45})(?:\/([0-9]{1,3}))?$/i.exec(text) ?? [];
  const writtenAddress = ipAddressOf(addressText);
  if (writtenAddress === null) return null;
  const address = unmapped(writtenAddress);
  const mappedBits = address.kind() === writtenAddress.kind() ? 0 : MAPPED_BITS;
  const bits = bitsWritten === undefined ? widthOf(address) : Number(bitsWritten) - mappedBits;
  if (bits < 0 || bits > widthOf(address)) return null;
  return [maskAddress(address, bits), bits];
}

function maskAddress(address: IpAddress, bits: number): IpAddress {
  const bytes = address.toByteArray().map((byte, at) => {
    const comparedBits = Math.min(8, Math.max(0, bits - at * 8));
    return byte & (0xff << (8 - comparedBits)) & 0xff;
  });
  return ipaddr.fromByteArray(bytes);
}

function isInNetwork(address: IpAddress, [base, bits]: Network): boolean {
  if (address instanceof ipaddr.IPv4) return base instanceof ipaddr.IPv4 && address.match(base, bits);
  return base instanceof ipaddr.IPv6 && address.match(base, bits);
}

function widthOf(address: IpAddress): number {
  return address.kind() === "ipv4" ? 32 : 128;
}

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
