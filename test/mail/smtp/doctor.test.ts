import { generateKeyPairSync } from "node:crypto";
import { smtpFaults } from "loyalty-kit/testing";
import { describe, expect, it } from "vitest";
import { type DkimOptions, loadDkimKey } from "../../../adapters/delivery/mail/dkim.js";
import { findSetupProblems } from "../../../adapters/delivery/mail/setup.js";
import { createSmtpTransport } from "../../../adapters/delivery/mail/smtp/transport.js";
import { createCertificates, open } from "./smtp-scene.js";

const createPem = (bits: number) =>
  generateKeyPairSync("rsa", { modulusLength: bits })
    .privateKey.export({ type: "pkcs8", format: "pem" })
    .toString();

const key = createPem(2_048);

const listCodes = (found: readonly { code: string }[]) => found.map(({ code }) => code);

describe("the doctor", () => {
  it("finds no problem with a server that accepts mails", async () => {
    const { ca, ...own } = createCertificates();
    const user = { name: "shop", password: "secret" };
    const { fake, transport } = await open({ user, tls: { kind: "starttls", ...own } }, { smtp: { ca } });
    expect(await transport.check()).toEqual([]);
    expect(fake.mails).toEqual([]);
  });

  it("reports a refused password without revealing it", async () => {
    const { transport } = await open(
      { user: { name: "shop", password: "right" } },
      { smtp: { password: "wr0ng" } },
    );
    const found = await transport.check();
    expect(listCodes(found)).toEqual(["smtp_sign_in_refused"]);
    expect(JSON.stringify(found)).not.toContain("wr0ng");
  });

  it("reports a server that offers no sign-in", async () => {
    const { fake } = await open();
    const transport = createSmtpTransport({
      smtp: fake.url.replace("//", "//me:secret@"),
      from: "shop@shop.example",
    });
    expect(listCodes(await transport.check())).toEqual(["smtp_sign_in_refused"]);
  });

  it("reports a server that doesn't encrypt", async () => {
    const { fake } = await open();
    const transport = createSmtpTransport({ smtp: `${fake.url}?tls=on`, from: "shop@shop.example" });
    expect(listCodes(await transport.check())).toEqual(["smtp_tls_missing"]);
  });

  it.each(["smtps", "starttls"] as const)("reports a certificate that isn't trusted (%s)", async (kind) => {
    const { ca: _, ...own } = createCertificates();
    const { transport } = await open({ tls: { kind, ...own } });
    expect(listCodes(await transport.check())).toEqual(["smtp_certificate_refused"]);
  });

  it("reports a server that is unreachable, that refuses, and that is silent", async () => {
    const { fake, transport } = await open({}, { times: { opening: 300 } });
    fake.script({ at: "greeting", answer: { code: 554, text: "5.7.1 you are on a list" } });
    expect(listCodes(await transport.check())).toEqual(["smtp_refused"]);
    fake.script(smtpFaults.silentGreeting);
    expect(listCodes(await transport.check())).toEqual(["smtp_unreachable"]);
    await fake.close();
    expect(listCodes(await transport.check())).toEqual(["smtp_unreachable"]);
  });

  it("reports a host without an address", async () => {
    const transport = createSmtpTransport({
      smtp: "smtps://no-such-host.invalid",
      from: "shop@shop.example",
    });
    expect(listCodes(await transport.check())).toEqual(["smtp_host_unknown"]);
  });
});

describe("the setup", () => {
  const from = "shop@mail.shop.example";
  const createSetup = (dkim: DkimOptions | null, publicUrl = "https://loyalty.shop.example") =>
    listCodes(findSetupProblems({ publicUrl, from, dkim: dkim === null ? null : loadDkimKey(dkim, from) }));

  it.each([undefined, "mail.shop.example", "shop.example", "SHOP.example"])("may sign for %s", (domain) => {
    expect(createSetup({ selector: "s1", key, ...(domain !== undefined && { domain }) })).toEqual([]);
  });

  it("may not sign for a domain other than the sender's", () => {
    expect(createSetup({ selector: "s1", key, domain: "relay.example" })).toEqual(["dkim_domain_mismatch"]);
    expect(createSetup({ selector: "s1", key, domain: "hop.example" })).toEqual(["dkim_domain_mismatch"]);
  });

  it("has a finding if the DKIM key is missing or weak", () => {
    expect(createSetup(null)).toEqual(["dkim_missing"]);
    expect(createSetup({ selector: "s1", key: createPem(1_024) })).toEqual(["dkim_key_short"]);
    expect(createSetup({ selector: "s1", key: createPem(512) })).toEqual(["dkim_key_too_short"]);
  });

  it.each([
    ["http://127.0.0.1:8080", ["public_url_insecure"]],
    ["http://loyalty.shop.example", ["public_url_insecure"]],
    ["https://loyalty.shop.example/", ["public_url_invalid"]],
    ["https://loyalty.shop.example?x=1", ["public_url_invalid"]],
    ["loyalty.shop.example", ["public_url_invalid"]],
  ])("has a finding for a public URL that mails can't link to: %s", (publicUrl, found) => {
    expect(createSetup({ selector: "s1", key }, publicUrl)).toEqual(found);
  });

  it("is rejected immediately with a DKIM key that can't sign", () => {
    const elliptic = generateKeyPairSync("ed25519")
      .privateKey.export({ type: "pkcs8", format: "pem" })
      .toString();
    const withDkim = (changes: Partial<DkimOptions>) => () =>
      createSmtpTransport({ smtp: "smtp://localhost", from, dkim: { selector: "s1", key, ...changes } });
    expect(withDkim({})).not.toThrow();
    expect(withDkim({ key: "/no/such/file" })).toThrow("the DKIM key file can't be read");
    expect(withDkim({ key: key.slice(0, 200) })).toThrow(TypeError);
    expect(withDkim({ key: elliptic })).toThrow("the DKIM key must be an RSA key");
    expect(withDkim({ selector: "s1; d=evil.example" })).toThrow(TypeError);
    expect(withDkim({ domain: "shop.example;" })).toThrow(TypeError);
  });
});
