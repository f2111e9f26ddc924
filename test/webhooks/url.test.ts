import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isPublicAddress } from "../../src/base/values/networks.js";
import { parseWebhookUrl } from "../../src/webhooks/schema.js";
import { arbitraryEmbedded, arbitraryHostSpelling, arbitraryOctets, toDotted } from "./spellings.js";

const parseUrl = (text: string) => parseWebhookUrl(text, false);
const parseLocalUrl = (text: string) => parseWebhookUrl(text, true);
const createLongUrl = (length: number) => `https://example.com/${"x".repeat(length - 20)}`;

describe("webhooks may be sent to", () => {
  it.each([
    ["https://example.com", "https://example.com/"],
    ["HTTPS://Example.COM:443/A?b=C", "https://example.com/A?b=C"],
    ["https://example.com:8443/hook?token=x", "https://example.com:8443/hook?token=x"],
    ["https://bücher.example", "https://xn--bcher-kva.example/"],
    ["https://8.8.8.8/", "https://8.8.8.8/"],
    ["https://[2606:4700:4700::1111]/", "https://[2606:4700:4700::1111]/"],
    ["https://localhost.example.com/", "https://localhost.example.com/"],
    ["https://notlocalhost/", "https://notlocalhost/"],
    [" https://exa\tmple.com/a b\n", "https://example.com/a%20b"],
    [createLongUrl(2_048), createLongUrl(2_048)],
  ])("%s", (text, expected) => expect(parseUrl(text)).toBe(expected));

  it("a name outside ASCII, even if it was read many times before", () => {
    const text: string = JSON.parse('"https://bücher.example"');
    const parsedUrls = Array.from({ length: 30_000 }, () => parseUrl(text));
    expect(new Set(parsedUrls)).toEqual(new Set(["https://xn--bcher-kva.example/"]));
  });

  it("public addresses in every spelling, stored in the usual one", () => {
    const spelled = arbitraryOctets().chain((address) =>
      fc.tuple(fc.constant(address), arbitraryHostSpelling(address)),
    );
    fc.assert(
      fc.property(spelled, ([address, host]) => {
        const expected = isPublicAddress(toDotted(address)) ? `https://${toDotted(address)}/` : null;
        expect(parseUrl(`https://${host}/`)).toBe(expected);
      }),
    );
  });
});

describe("webhooks may not be sent to", () => {
  it.each([
    "",
    "example.com",
    "//example.com",
    "http://example.com/",
    "http://8.8.8.8/",
    "ftp://example.com/",
    "wss://example.com/",
    "file:///etc/passwd",
    "data:text/plain,x",
    "mailto:ada@example.com",
    "https://",
    "https:///",
    "https://user@example.com/",
    "https://user:password@example.com/",
    "https://:password@example.com/",
    "https://example.com/#fragment",
    "https://example.com/#",
    "https://example.com./",
    "https://example.com../",
    "https://localhost/",
    "https://LOCALHOST:8443/",
    "https://localhost./",
    "https://api.localhost/",
    "https://loc\u00adalhost/",
    "https://ｌｏｃａｌｈｏｓｔ/",
    "https://[::1]/",
    "https://[::]/",
    "https://[fe80::1]/",
    "https://[fe80::1%25eth0]/",
    "https://[fd00:ec2::254]/",
    "https://169.254.169.254/latest/meta-data",
    "https://1.2.3.4.5/",
    "https://256.256.256.256/",
    "https://exa mple.com/",
    createLongUrl(2_049),
    `https://example.com/${"ü".repeat(1_000)}`,
  ])("%j", (text) => expect(parseUrl(text)).toBeNull());

  it("private addresses in any spelling", () => {
    const host = fc
      .constantFrom([0], [10], [127], [169, 254], [172, 16], [192, 168], [100, 64], [198, 18], [240])
      .chain((first) => arbitraryOctets(...first))
      .chain(arbitraryHostSpelling);
    fc.assert(fc.property(host, (each) => parseUrl(`https://${each}/`) === null));
  });

  it("IPv6 addresses that stand for an IPv4 address", () => {
    fc.assert(
      fc.property(arbitraryOctets().chain(arbitraryEmbedded), (ip) => parseUrl(`https://[${ip}]/`) === null),
    );
  });
});

describe("if loopback is allowed, webhooks", () => {
  it.each([
    ["http://localhost:3000/hook", "http://localhost:3000/hook"],
    ["https://localhost:3000", "https://localhost:3000/"],
    ["http://api.localhost/", "http://api.localhost/"],
    ["http://127.1/", "http://127.0.0.1/"],
    ["http://0x7f000001/", "http://127.0.0.1/"],
    ["https://[::1]:8443/", "https://[::1]:8443/"],
    ["https://example.com/", "https://example.com/"],
  ])("may be sent to %s", (text, expected) => expect(parseLocalUrl(text)).toBe(expected));

  it.each([
    "http://example.com/",
    "http://8.8.8.8/",
    "http://10.0.0.1/",
    "https://10.0.0.1/",
    "https://0.0.0.0/",
    "https://[::]/",
    "https://[::ffff:127.0.0.1]/",
    "https://169.254.169.254/",
    "http://localhost./",
    "http://user@localhost/",
    "http://localhost/#x",
    "ftp://localhost/",
    "ws://127.0.0.1/",
  ])("may not be sent to %s", (text) => expect(parseLocalUrl(text)).toBeNull());
});
