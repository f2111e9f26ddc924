import { BlockList } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalNetwork, Networks } from "../../src/base/values/networks.js";

const version4 = fc.tuple(fc.ipV4(), fc.nat({ max: 32 }));
const ipV6 = fc.ipV6().filter((text) => !/^::[0-9]+\./.test(text));
const version6 = fc.tuple(ipV6, fc.nat({ max: 128 }));

/** Checks with Node's `BlockList` whether a network contains an address. */
function isInNode([base, bits]: [string, number], address: string): boolean {
  const family = (ip: string) => (ip.includes(":") ? "ipv6" : "ipv4");
  const list = new BlockList();
  list.addSubnet(base, bits, family(base));
  return list.check(address, family(address));
}

describe("a list of networks", () => {
  it.each([
    ["version 4", version4, fc.ipV4()],
    ["version 6", version6, ipV6],
  ])("contains the same addresses as Node's BlockList, for IP %s", (_, networks, addresses) => {
    fc.assert(
      fc.property(networks, addresses, ([base, bits], address) => {
        const list = new Networks([`${base}/${bits}`]);
        expect(list.has(base)).toBe(true);
        expect(list.has(address)).toBe(isInNode([base, bits], address));
      }),
      { numRuns: 500 },
    );
  });

  it("contains an IPv4 address in every notation", () => {
    const office = new Networks(["192.0.2.0/24"]);
    for (const address of ["192.0.2.7", "::ffff:192.0.2.7", "::ffff:c000:207"]) {
      expect([address, office.has(address)]).toEqual([address, true]);
    }
    for (const network of ["::ffff:192.0.2.0/120", "::ffff:c000:207"]) {
      expect([network, new Networks([network]).has("192.0.2.7")]).toEqual([network, true]);
    }
    expect(new Networks(["::/0"]).has("::ffff:192.0.2.7")).toBe(false);
    expect(new Networks(["fe80::/10"]).has("fe80::1%eth0")).toBe(true);
  });

  it.each([
    "",
    "unknown",
    "192.0.2.7:443",
    "0300.0.2.7",
    "192.0.2",
    "[2001:db8::1]",
    "::192.0.2.7",
    "192.0.2.7, 10.0.0.1",
  ])("doesn't contain text that isn't an address: %s", (text) => {
    expect(new Networks(["0.0.0.0/0", "::/0"]).has(text)).toBe(false);
    expect(canonicalNetwork(text)).toBeNull();
  });

  it("contains the networks that lie within one of its own", () => {
    const list = new Networks(["10.0.0.0/8", "2001:db8::/32"]);
    for (const inner of ["10.0.0.0/8", "10.1.0.0/16", "10.9.9.9", "2001:db8:1::/48"]) {
      expect([inner, list.contains(inner)]).toEqual([inner, true]);
    }
    for (const outer of ["0.0.0.0/0", "10.0.0.0/7", "11.0.0.1", "2001:db8::/31", "::/0", "none"]) {
      expect([outer, list.contains(outer)]).toEqual([outer, false]);
    }
  });
});

describe("a network", () => {
  it.each([
    ["10.1.2.3/8", "10.0.0.0/8"],
    ["192.0.2.7/32", "192.0.2.7"],
    ["2001:DB8:0:0::1/32", "2001:db8::/32"],
    ["2001:db8::1", "2001:db8::1"],
    ["::ffff:192.0.2.0/120", "192.0.2.0/24"],
    ["0.0.0.0/0", "0.0.0.0/0"],
  ])("has one canonical form: %s", (text, canonical) => {
    expect(canonicalNetwork(text)).toBe(canonical);
    expect(canonicalNetwork(canonical)).toBe(canonical);
  });

  it.each([
    "10.0.0.0/33",
    "10.0.0.0/-1",
    "10.0.0.0/",
    "10.0.0.0/8/8",
    "10.0/8",
    "010.0.0.1",
    "2001:db8::/129",
    "fe80::1%eth0",
    "::ffff:0.0.0.0/95",
    "localhost",
    " 10.0.0.1",
  ])("can't be %s", (text) => {
    expect(canonicalNetwork(text)).toBeNull();
  });
});
