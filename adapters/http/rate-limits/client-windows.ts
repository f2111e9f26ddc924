import type { Clock } from "../../../src/values/clock.js";
import { networksOf } from "./client-network.js";
import { FixedWindows } from "./fixed-windows.js";
import type { RateQuota, RateWindow } from "./store.js";

const MAX_WINDOWS = 100_000;

/** All whose address is not known are one client. */
const unknown = [{ name: "unknown", times: 1 }];

/**
 * Counts how often clients ask, by their addresses, each in a fixed window. A client is an IPv4 address or a /64 network of
 * IPv6. All clients of a /48 together may ask ten times as often, and those of a /32 a thousand times, so that more
 * networks are not as much more. New clients are counted however many others there are: the windows with the fewest
 * requests are forgotten for them.
 */
export class ClientWindows {
  private readonly windows: FixedWindows;

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
   * Counts a request, unless it is refused: then it opens no window.
   * @param address `null` when it is not known.
   * @returns why it is refused: the window in which too much was asked; `null` when it is not.
   */
  count(address: string | null, weight = 1): RateWindow | null {
    const full = this.full(address);
    if (full !== null) return full;
    for (const { name } of networks(address)) this.windows.count(name, this.quota.seconds, weight);
    return null;
  }

  /** The window that leaves nothing of its quota; `null` when there is none. */
  full(address: string | null): RateWindow | null {
    // From the widest on: what is refused there has cost nothing narrower.
    for (const { name, times } of networks(address).reverse()) {
      const window = this.windows.peek(name);
      if (window !== null && window.requests >= this.quota.requests * times) return window;
    }
    return null;
  }
}

function networks(address: string | null) {
  const known = address === null ? [] : networksOf(address);
  return known.length === 0 ? [...unknown] : known;
}
