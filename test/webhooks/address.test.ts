import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isLoopbackAddress, isPublicAddress } from "../../src/base/values/networks.js";
import { arbitraryEmbedded, arbitraryOctets, toDotted } from "./spellings.js";

/** Special-purpose IPv4 blocks (IANA), by their first octets. */
const special: readonly (readonly number[])[] = [
  [0],
  [10],
  [127],
  [169, 254],
  [192, 0, 0],
  [192, 0, 2],
  [192, 88, 99],
  [192, 168],
  [198, 18],
  [198, 19],
  [198, 51, 100],
  [203, 0, 113],
  ...Array.from({ length: 64 }, (_, at) => [100, 64 + at]),
  ...Array.from({ length: 16 }, (_, at) => [172, 16 + at]),
  ...Array.from({ length: 32 }, (_, at) => [224 + at]),
];

const specialAddress = fc.constantFrom(...special).chain((first) => arbitraryOctets(...first));
const anyAddress = arbitraryOctets();

describe("an IPv4 address", () => {
  it.each([
    "8.8.8.8",
    "1.1.1.1",
    "93.184.215.14",
    "172.15.255.255",
    "172.32.0.0",
    "100.63.255.255",
    "100.128.0.0",
  ])("such as %s is public", (ip) => expect(isPublicAddress(ip)).toBe(true));

  it.each(["223.255.255.255", "169.253.0.1", "192.167.255.255", "192.169.0.0", "198.17.0.1", "198.20.0.1"])(
    "just outside a special block, %s, is public",
    (ip) => expect(isPublicAddress(ip)).toBe(true),
  );

  it("is not public in any special-purpose block", () => {
    fc.assert(fc.property(specialAddress, (address) => !isPublicAddress(toDotted(address))));
  });

  it("is not public if it belongs to a cloud platform, although its neighbors are", () => {
    expect(isPublicAddress("168.63.129.16")).toBe(false);
    expect(isPublicAddress("168.63.129.15")).toBe(true);
    expect(isPublicAddress("168.63.129.17")).toBe(true);
  });

  it("is public only in its usual spelling", () => {
    for (const ip of [
      "134744072",
      "0x8.8.8.8",
      "8.8.8",
      "010.8.8.8",
      "8.8.8.8.",
      " 8.8.8.8",
      "8.8.8.8/32",
      "８.8.8.8",
    ]) {
      expect(isPublicAddress(ip)).toBe(false);
    }
  });
});

describe("an IPv6 address", () => {
  it.each(["2606:4700:4700::1111", "2a00:1450:4001:81b::200e", "2001:4860:4860::8888", "2001:200::1"])(
    "such as %s is public",
    (ip) => expect(isPublicAddress(ip)).toBe(true),
  );

  it.each([
    ["unspecified", "::"],
    ["loopback", "::1"],
    ["IPv4-compatible", "::8.8.8.8"],
    ["IPv4-mapped", "::ffff:8.8.8.8"],
    ["IPv4-translated", "::ffff:0:8.8.8.8"],
    ["NAT64", "64:ff9b::808:808"],
    ["local NAT64", "64:ff9b:1::808:808"],
    ["discarded", "100::1"],
    ["Teredo", "2001::1"],
    ["benchmarking", "2001:2::1"],
    ["ORCHID", "2001:10::1"],
    ["ORCHIDv2", "2001:20::1"],
    ["reserved for protocols", "2001:1ff::1"],
    ["documentation", "2001:db8::1"],
    ["6to4", "2002:808:808::1"],
    ["also documentation", "3fff::1"],
    ["of a former test network", "3ffe:ffff::1"],
    ["segment routing", "5f00::1"],
    ["unallocated", "4000::1"],
    ["unallocated", "e000::1"],
    ["unique local", "fc00::1"],
    ["unique local, for the metadata of a cloud", "fd00:ec2::254"],
    ["link-local", "fe80::1"],
    ["site-local", "fec0::1"],
    ["multicast", "ff02::1"],
    ["with a zone", "fe80::1%eth0"],
    ["with a zone, though public", "2606:4700:4700::1111%1"],
    ["in brackets", "[2606:4700:4700::1111]"],
  ])("that is %s, %s, is not public", (_kind, ip) => expect(isPublicAddress(ip)).toBe(false));

  it("is not public if it stands for any IPv4 address, even a public one", () => {
    const standing = fc.oneof(specialAddress, anyAddress).chain(arbitraryEmbedded);
    fc.assert(fc.property(standing, (ip) => !isPublicAddress(ip)));
  });
});

describe("any other text", () => {
  it("is not a public address", () => {
    fc.assert(fc.property(fc.string(), (text) => !isPublicAddress(text)));
    for (const text of ["", "localhost", "example.com", "::g", ":", "1.2.3.4:80"]) {
      expect(isPublicAddress(text)).toBe(false);
    }
  });
});

describe("a loopback address", () => {
  it("is in 127.0.0.0/8, or is ::1", () => {
    fc.assert(fc.property(arbitraryOctets(127), (address) => isLoopbackAddress(toDotted(address))));
    expect(["::1", "0:0:0:0:0:0:0:1"].every(isLoopbackAddress)).toBe(true);
  });

  it("isn't any other address, even a similar one", () => {
    for (const ip of [
      "126.255.255.255",
      "128.0.0.1",
      "0.0.0.0",
      "::",
      "::2",
      "::ffff:127.0.0.1",
      "127.1",
      "localhost",
    ]) {
      expect(isLoopbackAddress(ip)).toBe(false);
    }
  });
});
