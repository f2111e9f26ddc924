import { putAndEvict } from "../../../src/base/bounded-map.js";
import type { Clock } from "../../../src/base/values/clock.js";
import { listNetworks, type Network } from "./client-network.js";
import { FixedWindows } from "./fixed-windows.js";
import type { RateQuota, RateWindow } from "./store.js";

const MAX_WINDOWS = 100_000;

/**
 * Maximum number of cached addresses. Parsing an address takes longer than the rest of a limit check, and requests from a host's
 * servers come from few addresses.
 */
const MAX_CACHED_ADDRESSES = 1_000;
/**
 * Maximum length of a cached address. Only an address that names a network interface is longer, and it may be as long as its
 * header.
 */
const MAX_CACHED_ADDRESS_LENGTH = 45;

/** All clients with unknown addresses count as one. */
const unknownNetworks: readonly Network[] = [{ name: "unknown", times: 1 }];

/**
 * Counts requests by client address in fixed windows. A client is an IPv4 address or an IPv6 /64 network. Using many networks
 * doesn't proportionally raise the limit, because all clients in a /48 share ten times a client's quota, and all clients in a /32
 * share a thousand times that quota. When the capacity is reached, a new client's windows replace the ones with the fewest
 * requests, so new clients are always counted.
 */
export class ClientWindows {
  private readonly windows: FixedWindows;
  /** The networks of recently parsed addresses, widest first. */
  private readonly networks = new Map<string, readonly Network[]>();

  constructor(
    clock: Clock,
    private readonly quota: RateQuota,
    capacity = MAX_WINDOWS,
  ) {
    this.windows = new FixedWindows(clock, capacity);
  }

  get size(): number {
    return this.windows.size;
  }

  /**
   * Counts a request unless the quota is exhausted. A refused request isn't counted and doesn't open a window.
   * @param address the client's address, or `null` if it is unknown.
   * @param weight the number of requests that this request counts as.
   * @returns the exhausted window if the request is refused, or `null` otherwise.
   */
  count(address: string | null, weight = 1): RateWindow | null {
    const exhausted = this.findExhausted(address);
    if (exhausted !== null) return exhausted;
    for (const { name } of this.getNetworks(address)) this.windows.count(name, this.quota.seconds, weight);
    return null;
  }

  /** Returns the exhausted window that would cause the client's next request to be refused, or `null` if there is none. */
  findExhausted(address: string | null): RateWindow | null {
    // Checks the widest network first, so that its refusal costs the narrower ones nothing.
    for (const { name, times } of this.getNetworks(address)) {
      const window = this.windows.peek(name);
      if (window !== null && window.requests >= this.quota.requests * times) return window;
    }
    return null;
  }

  private getNetworks(address: string | null): readonly Network[] {
    if (address === null) return unknownNetworks;
    const cached = this.networks.get(address);
    if (cached !== undefined) return cached;
    const networks = listNetworks(address).reverse();
    if (networks.length === 0) return unknownNetworks;
    if (address.length <= MAX_CACHED_ADDRESS_LENGTH)
      putAndEvict(this.networks, address, networks, MAX_CACHED_ADDRESSES);
    return networks;
  }
}
