import ipaddr from "ipaddr.js";
import { clientAddressOf } from "../../../src/base/values/networks.js";

/** IPv6 network sizes that a single customer or provider may own, in bits, and how many times a client's quota each may use. */
const widerNetworks = [
  { bits: 48, times: 10 },
  { bits: 32, times: 1_000 },
] as const;

/** A network whose clients share a request limit. */
export interface Network {
  readonly name: string;
  /** The network's quota as a multiple of a single client's quota. */
  readonly times: number;
}

/**
 * Returns the network that identifies a client. For an IPv4 address, including an IPv4-mapped IPv6 address, this is the IPv4
 * address itself. For IPv6, it is the first 64 bits, because a client usually controls its whole /64.
 * @returns the network, or `null` if the string isn't an IP address.
 */
export function toNetwork(address: string): string | null {
  return toIpv4OrPrefix(address, 64);
}

/**
 * Returns a client's network and the wider networks that contain it, narrowest first. The wider networks need limits too, because a
 * provider typically owns a /32 and assigns each of its customers up to a /48. A single customer can therefore use 65,536 different
 * /64 networks at no extra cost.
 * @returns the networks, or an empty array if the address is invalid.
 */
export function listNetworks(address: string): Network[] {
  const parsed = clientAddressOf(address);
  if (parsed === null) return [];
  if (!(parsed instanceof ipaddr.IPv6)) return [{ name: parsed.toString(), times: 1 }];
  const wideNetworks = widerNetworks.map(({ bits, times }) => ({ name: formatPrefix(parsed, bits), times }));
  return [{ name: formatPrefix(parsed, 64), times: 1 }, ...wideNetworks];
}

/**
 * Returns the network that identifies a client's group in fair queues. This is the IPv4 address or the IPv6 /48.
 * @returns the network, or `null` if the address is invalid.
 */
export function toClientGroup(address: string): string | null {
  return toIpv4OrPrefix(address, 48);
}

function toIpv4OrPrefix(address: string, bits: number): string | null {
  const parsed = clientAddressOf(address);
  if (parsed === null) return null;
  return parsed instanceof ipaddr.IPv6 ? formatPrefix(parsed, bits) : parsed.toString();
}

function formatPrefix({ parts }: ipaddr.IPv6, bits: number): string {
  const leadingParts = parts.slice(0, bits / 16).map((part) => part.toString(16));
  return `${leadingParts.join(":")}::/${bits}`;
}
