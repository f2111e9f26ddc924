import { putAndEvict } from "../../../src/bounded-map.js";
import type { Clock } from "../../../src/values/clock.js";
import { listNetworks, type Network } from "./client-network.js";
import { FixedWindows } from "./fixed-windows.js";
import type { RateQuota, RateWindow } from "./store.js";

const MAX_WINDOWS = 100_000;

/** To read an address takes longer than all else that a limit does, and a host's servers ask from few. */
const MAX_READ = 1_000;
/** No address is longer, unless it names an interface, which may be as long as its header. */
const LONGEST = 45;

/** All whose address is not known are one client. */
const unknown: readonly Network[] = [{ name: "unknown", times: 1 }];

/**
 * Counts requests by client address in fixed windows. A client is an IPv4 address or an IPv6 /64 network. All clients of a /48
 * together have ten times the limit, and all clients of a /32 a thousand times, so that more networks don't give proportionally
 * more requests. New clients are always counted: they replace the windows with the fewest requests.
 */
export class ClientWindows {
  private readonly windows: FixedWindows;
  /** The networks of the addresses that were read last, the widest first. */
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
   * Counts a request, unless it is refused. A refused request opens no window.
   * @param address `null` if unknown.
   * @returns the exhausted window, if the request is refused; otherwise `null`.
   */
  count(address: string | null, weight = 1): RateWindow | null {
    const full = this.findExhausted(address);
    if (full !== null) return full;
    for (const { name } of this.getNetworks(address)) this.windows.count(name, this.quota.seconds, weight);
    return null;
  }

  /** The window that leaves nothing of its quota; `null` if there is none. */
  findExhausted(address: string | null): RateWindow | null {
    // A refusal by the widest network has cost the narrower ones nothing.
    for (const { name, times } of this.getNetworks(address)) {
      const window = this.windows.peek(name);
      if (window !== null && window.requests >= this.quota.requests * times) return window;
    }
    return null;
  }

  private getNetworks(address: string | null): readonly Network[] {
    if (address === null) return unknown;
    const known = this.networks.get(address);
    if (known !== undefined) return known;
    const networks = listNetworks(address).reverse();
    if (networks.length === 0) return unknown;
    if (address.length <= LONGEST) putAndEvict(this.networks, address, networks, MAX_READ);
    return networks;
  }
}
