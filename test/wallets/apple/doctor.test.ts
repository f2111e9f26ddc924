import { generateKeyPairSync } from "node:crypto";
import { LoyaltyService } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { createWallets, type SetupFinding, type WalletsOptions } from "loyalty-kit/wallets";
import { describe, expect, it } from "vitest";
import { findExpiringCertificates } from "../../../adapters/delivery/wallets/apple/certificate-checks.js";
import { loadAppleIdentity } from "../../../adapters/delivery/wallets/apple/identity.js";
import { findDrawingProblems } from "../../../adapters/delivery/wallets/setup.js";
import {
  createStampDrawer,
  StampDrawer,
} from "../../../adapters/delivery/wallets/stamp-drawing/stamp-drawer.js";
import { serviceInternals } from "../../../src/internals.js";
import { appleOptions, openWallets, pki } from "./wallets-scene.js";

async function listFindings(options: Partial<WalletsOptions>, daysFromNow = 0) {
  const { wallets, clock } = await openWallets(memoryStorage(), options);
  clock.move(daysFromNow * 86_400_000);
  return (await wallets.check()).map(({ severity, code }) => [severity, code]);
}

const withApple = (fields: object) => ({ apple: { ...appleOptions, ...fields } });

describe("the doctor", () => {
  it("finds nothing when everything is fine", async () => {
    expect(await listFindings({})).toEqual([]);
  });

  it("reports a key of another certificate", async () => {
    const other = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
    const key = other.export({ type: "pkcs8", format: "pem" }).toString();
    expect(await listFindings(withApple({ key }))).toEqual([["error", "apple_key_mismatch"]]);
  });

  it("reports an intermediate that did not issue the certificate", async () => {
    expect(await listFindings(withApple({ wwdr: pki.root }))).toEqual([["error", "apple_wwdr_mismatch"]]);
    expect(await listFindings(withApple(pki.foreign))).toEqual([["error", "apple_wwdr_mismatch"]]);
  });

  it("reports certificates that have expired, and those that expire within 30 days", async () => {
    expect(await listFindings(withApple(pki.expired))).toEqual([["error", "apple_certificate_expired"]]);
    expect(await listFindings({}, 369)).toEqual([]);
    expect(await listFindings({}, 371)).toEqual([
      ["warning", "apple_certificate_expiring"],
      ["warning", "apple_wwdr_expiring"],
    ]);
    expect(await listFindings({}, 401)).toEqual([
      ["error", "apple_certificate_expired"],
      ["error", "apple_wwdr_expired"],
    ]);
  });

  it("warns about http on this machine", async () => {
    expect(await listFindings({ publicUrl: "http://127.0.0.1:3000" })).toEqual([
      ["warning", "public_url_insecure"],
    ]);
  });

  it("warns if nothing draws the stamps", async () => {
    const rejectAlways = () => Promise.reject(new Error("not for this machine"));
    const warning = { severity: "warning", code: "stamps_not_drawn" };
    expect(await findDrawingProblems(null)).toMatchObject([warning]);
    expect(await findDrawingProblems(new StampDrawer(rejectAlways))).toMatchObject([warning]);
    expect(await findDrawingProblems(createStampDrawer())).toEqual([]);
    // No warning is needed for a host that turned the drawing off.
    expect(await listFindings({ stampRenderer: null })).toEqual([]);
  });

  it("notifies organizations with cards each day that a certificate is about to expire", async () => {
    const storage = memoryStorage();
    const { acme, clock, newPass, loyalty } = await openWallets(storage);
    await newPass();
    await loyalty.organization("globex").users.create({ email: "ada@example.com" });
    const errors: unknown[] = [];
    loyalty.on("wallet_certificate.expiring", ({ data }, { organizationId }) =>
      errors.push([organizationId, data.name]),
    );
    const backend = serviceInternals(loyalty).createWalletBackend(0);
    const sendReminders = async () => {
      for (const certificate of findExpiringCertificates(loadAppleIdentity(appleOptions), clock.now)) {
        await backend.reportExpiry(certificate, null);
      }
      return errors.splice(0);
    };
    clock.move(369 * 86_400_000);
    expect(await sendReminders()).toEqual([]);
    clock.move(2 * 86_400_000);
    const reminded = [
      ["acme", pki.passTypeId],
      ["acme", "Fake Worldwide Developer Relations"],
    ];
    expect(await sendReminders()).toEqual(reminded);
    // Another process, or this one after a restart.
    expect(await sendReminders()).toEqual([]);
    clock.move(86_400_000);
    expect(await sendReminders()).toEqual(reminded);
    const { content } = await acme.events.list({ types: ["wallet_certificate.expiring"] });
    expect(content).toHaveLength(4);
    clock.move(30 * 86_400_000);
    expect(await sendReminders()).toEqual([]);
  });

  it("notifies the host's own organization instead of its customers, if it names one", async () => {
    const { loyalty, newPass, wallets, clock } = await openWallets(memoryStorage());
    await newPass();
    await wallets.close();
    const errors: unknown[] = [];
    loyalty.on("wallet_certificate.expiring", (_, { organizationId }) => errors.push(organizationId));
    const [until] = findExpiringCertificates(loadAppleIdentity(appleOptions), clock.now + 371 * 86_400_000);
    expect(until).toBeDefined();
    if (until !== undefined)
      await serviceInternals(loyalty).createWalletBackend(0).reportExpiry(until, "the host");
    expect(errors).toEqual(["the host"]);
  });

  it("reports findings to the host at start-up", async () => {
    const findings: SetupFinding[] = [];
    await openWallets(memoryStorage(), {
      ...withApple(pki.expired),
      onFinding: (finding) => findings.push(finding),
    });
    await expect.poll(() => findings.length).toBe(1);
    expect(findings).toMatchObject([{ severity: "error", code: "apple_certificate_expired" }]);
  });

  it.each<[string, Partial<WalletsOptions>, string]>([
    ["an http URL that isn't local", { publicUrl: "http://shop.example" }, "must be https"],
    [
      "a trailing slash in the URL",
      { publicUrl: "https://shop.example/" },
      "without a user, query, fragment or trailing slash",
    ],
    ["an invalid URL", { publicUrl: "shop" }, "must be an https URL"],
    ["a missing certificate file", withApple({ certificate: "/no/such/file" }), "certificate can't be read"],
    [
      "a certificate that isn't PEM",
      withApple({ certificate: "-----BEGIN nothing" }),
      "isn't a certificate in PEM",
    ],
    ["an unreadable key", withApple({ key: "-----BEGIN nothing" }), "key can't be read"],
    [
      "a certificate without a pass type",
      withApple({ certificate: pki.root }),
      "has no pass type ID and team",
    ],
  ])("refuses to create wallets with %s", (_, options, message) => {
    const loyalty = new LoyaltyService({ storage: memoryStorage() });
    expect(() => createWallets(loyalty, { publicUrl: "https://shop.example", ...options })).toThrow(message);
  });
});

describe("the wallet setup", () => {
  it("is reported with the expiry of certificates, and with the problems that the last check found", async () => {
    const { wallets, loyalty, clock } = await openWallets(memoryStorage(), {});
    expect(serviceInternals(loyalty).findWalletSetup("acme")).toMatchObject({
      apple: expect.stringMatching(/^pass\./),
      google: null,
      certificates: [{ platform: "apple" }, { platform: "apple" }],
      problems: [],
    });
    clock.move(371 * 86_400_000);
    await wallets.check();
    expect(serviceInternals(loyalty).findWalletSetup("acme")?.problems).toEqual([
      expect.stringMatching(/expires in \d+ days, on .+; renew it/),
      expect.stringMatching(/expires in \d+ days, on .+; renew it/),
    ]);
    expect(JSON.stringify(serviceInternals(loyalty).findWalletSetup("acme"))).not.toMatch(/PRIVATE|BEGIN/);
    await wallets.close();
    expect(serviceInternals(loyalty).findWalletSetup("acme")).toBeNull();
  });

  it("is reported only to the operator's organization, if one is named", async () => {
    const { loyalty } = await openWallets(memoryStorage(), { operator: "host" });
    expect([
      serviceInternals(loyalty).findWalletSetup("acme"),
      serviceInternals(loyalty).findWalletSetup("host")?.google,
    ]).toEqual([null, null]);
    expect(serviceInternals(loyalty).findWalletSetup("host")).not.toBeNull();
  });

  it("is null without wallets", () => {
    const loyalty = new LoyaltyService({ storage: memoryStorage() });
    expect(serviceInternals(loyalty).findWalletSetup("acme")).toBeNull();
  });
});
