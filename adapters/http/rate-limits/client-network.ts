import ipaddr from "ipaddr.js";
import { clientAddressOf } from "../../../src/values/ip-address.js";

/** IPv6 network sizes that a single customer or provider may own, in bits, and how many times a client's quota each may use. */
const wider = [
  { bits: 48, times: 10 },
  { bits: 32, times: 1_000 },
] as const;

/** A network with a limit of its own. */
export interface Network {
  readonly name: string;
  /** Factor by which the network's quota exceeds that for one client. */
  readonly times: number;
}

/**
 * Returns the network that identifies a client: an IPv4 address, even if it is written as IPv6, or the first 64 bits of an IPv6
 * address, because a client usually controls its whole /64.
 * @returns `null` if the text is not an address.
 */
export function toNetwork(address: string): string | null {
  const parsed = clientAddressOf(address);
  if (parsed === null) return null;
  return parsed instanceof ipaddr.IPv6 ? formatPrefix(parsed, 64) : parsed.toString();
}

/**
 * Returns a client's network and the networks that contain it, narrowest first. Providers assign an IPv6 customer a /48 or part of
 * one, and own a /32 themselves, so a single customer can use 65,536 /64 networks at no cost.
 * @returns an empty list for an invalid address.
 */
export function listNetworks(address: string): Network[] {
  const parsed = clientAddressOf(address);
  if (parsed === null) return [];
  if (!(parsed instanceof ipaddr.IPv6)) return [{ name: parsed.toString(), times: 1 }];
  const whole = wider.map(({ bits, times }) => ({ name: formatPrefix(parsed, bits), times }));
  return [{ name: formatPrefix(parsed, 64), times: 1 }, ...whole];
}

/**
 * Returns the network whose clients count as one in fair queues: an IPv4 address, or an IPv6 /48.
 * @returns `null` for an invalid address.
 */
export function toClientGroup(address: string): string | null {
  const parsed = clientAddressOf(address);
  if (parsed === null) return null;
  return parsed instanceof ipaddr.IPv6 ? formatPrefix(parsed, 48) : parsed.toString();
}

function formatPrefix({ parts }: ipaddr.IPv6, bits: number): string {
  const left = parts.slice(0, bits / 16).map((part) => part.toString(16));
  return `${left.join(":")}::/${bits}`;
}
