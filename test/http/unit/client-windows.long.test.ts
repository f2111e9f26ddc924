import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { listNetworks } from "../../../adapters/http/rate-limits/client-network.js";
import { ClientWindows } from "../../../adapters/http/rate-limits/client-windows.js";
import { FixedWindows } from "../../../adapters/http/rate-limits/fixed-windows.js";
import { ManualClock } from "../../kit/manual-clock.js";
import { runs } from "../../properties/runs.js";

const group = fc.integer({ min: 0, max: 2 });
const address = fc.oneof(
  fc.tuple(group, group, group, group).map(([a, b, c, d]) => `2001:${a}:${b}:${c}::${d}`),
  fc.integer({ min: 0, max: 50 }).map((at) => `192.0.2.${at}`),
  fc.constantFrom(null, "none"),
);

const listNames = (address: string | null) => {
  const names = listNetworks(address ?? "");
  return names.length === 0 ? [{ name: "unknown", times: 1 }] : names;
};

describe("the rate windows of clients", () => {
  test("refuse only clients that have sent too many requests, or whose networks have, whatever others did", () => {
    fc.assert(
      fc.property(
        fc.array(address, { maxLength: 400 }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 3 }),
        (addresses, capacity, requests) => {
          const windows = new ClientWindows(() => 0, { requests, seconds: 60 }, capacity);
          const letIn = new Map<string, number>();
          for (const each of addresses) {
            const networks = listNames(each);
            const mayBeRefused = networks.some(
              ({ name, times }) => (letIn.get(name) ?? 0) >= requests * times,
            );
            if (windows.count(each) === null) {
              for (const { name } of networks) letIn.set(name, (letIn.get(name) ?? 0) + 1);
            } else {
              expect(mayBeRefused).toBe(true);
            }
            expect(windows.size).toBeLessThanOrEqual(capacity);
          }
        },
      ),
      runs(100),
    );
  });

  test("let new clients in after requests from 100,000 networks", () => {
    const windows = new ClientWindows(() => 0, { requests: 20, seconds: 3_600 });
    for (let at = 0; at < 110_000; at += 1) {
      const [high, low] = [Math.floor(at / 65_536), at % 65_536];
      windows.count(`2001:${(at % 1_000).toString(16)}:${high}:${low.toString(16)}::1`);
    }
    expect(windows.size).toBeLessThanOrEqual(100_000);
    const newcomers = Array.from({ length: 200 }, (_, at) => `203.0.113.${at}`);
    expect(newcomers.filter((each) => windows.count(each) !== null)).toEqual([]);
    expect(windows.count("2a00:1:2:3::4")).toBeNull();
  });

  test("still count an address after it has left the cache of parsed addresses", () => {
    const windows = new ClientWindows(() => 0, { requests: 1, seconds: 60 });
    expect(windows.count("192.0.2.1")).toBeNull();
    for (let at = 0; at < 5_000; at += 1) windows.count(`10.0.${at >> 8}.${at & 255}`);
    expect(windows.findExhausted("192.0.2.1")).toMatchObject({ requests: 1 });
    expect(windows.findExhausted("::ffff:192.0.2.1")).toMatchObject({ requests: 1 });
  });

  test("let a whole /48 send ten times as many requests as one /64, and a whole /32 a thousand times as many", () => {
    const windows = new ClientWindows(() => 0, { requests: 2, seconds: 60 });
    const countAllowed = (name: (at: number) => string, times: number) =>
      Array.from({ length: times }, (_, at) => windows.count(name(at))).filter((full) => full === null)
        .length;
    expect(countAllowed((at) => `2001:db8:1::${at}`, 10)).toBe(2);
    expect(countAllowed((at) => `2001:db8:1:${at + 1}::1`, 50)).toBe(18);
    expect(countAllowed((at) => `2001:db8:${(at + 2).toString(16)}:0::1`, 5_000)).toBe(1_980);
    expect(countAllowed((at) => `2001:db9:1::${at}`, 10)).toBe(2);
  });

  test("with the fewest requests are dropped first, so evicting one requires that all others have as many", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 40 }),
        fc.integer({ min: 1, max: 64 }),
        fc.integer({ min: 1, max: 500 }),
        (capacity, requests, otherAddresses) => {
          const windows = new FixedWindows(new ManualClock().read, capacity);
          windows.count("full", 60, 4 * requests);
          for (let at = 0; at < otherAddresses; at += 1) windows.count(`other ${at}`, 60, requests);
          expect(windows.peek("full")?.requests).toBe(4 * requests);
        },
      ),
      runs(100),
    );
  });
});
