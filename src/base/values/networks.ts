import ipaddr from "ipaddr.js";
import { clientAddressOf, type IpAddress, ipAddressOf, unmapped } from "./ip-address.js";

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
    const parsed = address === null ? null : clientAddressOf(address);
    return parsed !== null && this.networks.some((network) => isInNetwork(parsed, network));
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
  const parsed = ipAddressOf(addressText);
  if (parsed === null) return null;
  const address = unmapped(parsed);
  const mappedBits = address.kind() === parsed.kind() ? 0 : MAPPED_BITS;
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
