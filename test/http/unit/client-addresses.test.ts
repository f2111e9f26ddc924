import { BlockList, isIP } from "node:net";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { serverSettings } from "../../../adapters/apps/cli/server/settings.js";
import { toNetwork } from "../../../adapters/http/rate-limits/client-network.js";
import { stripPort } from "../../../adapters/http/request/http-message.js";
import { Networks } from "../../../src/base/values/networks.js";
import { runs } from "../../properties/runs.js";

const proxies = serverSettings.trustedProxy.read?.("10.0.0.0/8, loopback, 2001:db8:1::/48", undefined);

const trustedAddresses = new BlockList();
trustedAddresses.addSubnet("10.0.0.0", 8);
trustedAddresses.addSubnet("127.0.0.0", 8);
trustedAddresses.addAddress("::1", "ipv6");
trustedAddresses.addSubnet("2001:db8:1::", 48, "ipv6");

/** Returns whether Node considers an address trusted. */
function isTrusted(address: string): boolean {
  const plain = address.replace(/^::ffff:(?=[0-9.]+$)/i, "");
  return isIP(plain) !== 0 && trustedAddresses.check(plain, isIP(plain) === 4 ? "ipv4" : "ipv6");
}

const ownAddresses = fc.constantFrom(
  "10.1.2.3",
  "127.0.0.1",
  "::1",
  "2001:db8:1::7",
  "::ffff:10.0.0.9",
  "2001:DB8:1::A",
);
const address = fc.oneof(
  ownAddresses,
  fc.ipV4(),
  fc.ipV6().filter((text) => !/^::[0-9]+\./.test(text)),
);

/** Texts that some programs accept as an address. */
const odd = fc.constantFrom(
  ...[
    "unknown",
    "_hidden",
    "127.1",
    "0x7f.1",
    "010.0.0.1",
    "2130706433",
    "1",
    "10.1",
    "10.0.0.1:port",
    "[::1",
  ],
  ...["10.0.0.1 10.0.0.2", "::1]:5", "10.0.0.1:", '"[2001:db8:1::1]:4711"', "10.0.0.1;x", "::127.0.0.1"],
);
const writtenAddress = fc.oneof(
  { weight: 4, arbitrary: address },
  {
    weight: 3,
    arbitrary: fc
      .tuple(address, fc.nat(65_535))
      .map(([text, port]) => (text.includes(":") ? `[${text}]:${port}` : `${text}:${port}`)),
  },
  odd,
);
const border = fc.constantFrom(",", ", ", " ,", ",\t", "\t, ");

/** Removes the port from an address in a header. */
const withoutPort = (text: string) => stripPort(text);

/** Returns the address of a request's client, as a server determines it. */
function addressOf(headers: Readonly<Record<string, string>>, remoteAddress: string | undefined) {
  return proxies?.addressOf(Object.assign(Object.create(null), { headers, socket: { remoteAddress } }));
}

describe("an X-Forwarded-For header", () => {
  it("gives no address on a connection that is already closed", () => {
    expect(addressOf({ "x-forwarded-for": "203.0.113.7" }, undefined)).toBeNull();
  });

  it("gives the last address that is not a proxy's, whatever comes before it", () => {
    fc.assert(
      fc.property(
        address,
        fc.array(fc.tuple(writtenAddress, border), { maxLength: 6 }),
        (peer, otherAddresses) => {
          const parts = otherAddresses.map(([text]) => text);
          const header = otherAddresses
            .map(([text, border], at) => (at === 0 ? text : border + text))
            .join("");
          const headers = parts.length === 0 ? {} : { "x-forwarded-for": header };
          const found = addressOf(headers, peer);
          const nearest = [...parts, peer].reverse().map(withoutPort);
          const expected = nearest.find((text) => !isTrusted(text)) ?? nearest.at(-1);
          expect([header, withoutPort(found ?? "")]).toEqual([header, expected]);
        },
      ),
      runs(1_000),
    );
  });
});

describe("the address of a client", () => {
  it("is valid for rate limits exactly if it is valid for the networks of a token", () => {
    const all = new Networks(["0.0.0.0/0", "::/0"]);
    fc.assert(
      fc.property(fc.oneof(writtenAddress.map(withoutPort), fc.string()), (text) => {
        expect([text, toNetwork(text) !== null]).toEqual([text, all.has(text)]);
      }),
      runs(1_000),
    );
  });
});
