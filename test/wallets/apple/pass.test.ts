import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryStorage } from "loyalty-kit/memory";
import { fieldsOf, localized, verifiedPass } from "loyalty-kit/testing";
import type { WalletsOptions } from "loyalty-kit/wallets";
import { PKPass } from "passkit-generator";
import { afterAll, describe, expect, it, vi } from "vitest";
import { loadAppleIdentity } from "../../../adapters/delivery/wallets/apple/identity.js";
import { createPassPackage } from "../../../adapters/delivery/wallets/apple/pass-package.js";
import { createSolidPng } from "../../../adapters/delivery/wallets/solid-png.js";
import { serviceInternals } from "../../../src/internals.js";
import { createPng } from "../../cards/some-picture.js";
import { getByEmail } from "../../kit/acme.js";
import { appleOptions, openWallets, pki } from "./wallets-scene.js";

const directory = mkdtempSync(join(tmpdir(), "loyalty-kit-"));
afterAll(() => rmSync(directory, { recursive: true }));

const toDataUrl = (bytes: Buffer) => `data:image/png;base64,${bytes.toString("base64")}`;

const design = {
  backgroundColor: "#3B2417",
  logo: toDataUrl(createPng(320, 100)),
  icon: toDataUrl(createPng(87, 87)),
  strip: toDataUrl(createPng(750, 288)),
  texts: [
    {
      language: "en",
      title: 'Coffee "card"',
      front: [{ label: "Shop", value: "High Street" }],
      back: [{ label: "Hours", value: "8 to 6" }],
      terms: "One stamp\nfor each cup",
    },
    { language: "de", title: "Kaffeekarte", terms: "Ein Stempel je Tasse" },
  ],
  links: [
    { label: "Menu", url: "https://coffee.example/menu?a=1&b=2" },
    { label: "Café", url: "https://café.example/menü" },
  ],
  locations: [{ latitude: 51.5, longitude: -0.1, text: "Coffee is near" }],
  expiresAt: "2030-01-01T00:00:00.000Z",
};

async function openDesigned(options: Partial<WalletsOptions> = {}) {
  const shop = await openWallets(memoryStorage(), options);
  await shop.acme.templates.update(shop.template.id, { design });
  return shop;
}

async function fetchArchive(shop: Awaited<ReturnType<typeof openWallets>>, url: string) {
  const response = await shop.api.fetch(new Request(url));
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

describe("a pass for Apple's Wallet", () => {
  it("shows the name, stamps, missing stamps, rewards and the QR value", async () => {
    const shop = await openDesigned();
    await shop.acme.templates.update(shop.template.id, { reward: "A coffee of your choice" });
    const { id, url, qrCodeValue } = await shop.newPass();
    await shop.acme.stamps.add(id, { count: 3 });
    const readArchive = verifiedPass(await fetchArchive(shop, url), pki.root, shop.clock.now);
    expect(readArchive.pass).toMatchObject({
      formatVersion: 1,
      passTypeIdentifier: pki.passTypeId,
      teamIdentifier: pki.teamId,
      serialNumber: id,
      organizationName: "Coffee & Co",
      logoText: 'Coffee "card"',
      backgroundColor: "rgb(59, 36, 23)",
      barcodes: [{ format: "PKBarcodeFormatQR", message: qrCodeValue, messageEncoding: "iso-8859-1" }],
      webServiceURL: "https://shop.example/loyalty/wallets/apple",
      authenticationToken: expect.stringMatching(/^[0-9A-Za-z]{32}$/),
      expirationDate: "2030-01-01T00:00:00Z",
      locations: [{ latitude: 51.5, longitude: -0.1, relevantText: "Coffee is near" }],
      storeCard: {},
    });
    const fields = fieldsOf(readArchive);
    expect(fields.get("stamps")).toMatchObject({ value: "3/5" });
    expect(fields.get("next")).toMatchObject({ value: "2 more to go", changeMessage: "%@" });
    expect(fields.get("rewards")).toMatchObject({ value: 0 });
    expect(fields.get("reward")).toMatchObject({
      label: "Reward for a full card",
      value: "A coffee of your choice",
    });
    expect(fields.get("link0")).toMatchObject({
      attributedValue: '<a href="https://coffee.example/menu?a=1&amp;b=2">Menu</a>',
    });
    expect(fields.get("link1")).toMatchObject({
      value: "https://café.example/menü",
      attributedValue: '<a href="https://xn--caf-dma.example/men%C3%BC">Café</a>',
    });
  });

  it.each([
    ["4006381333931", "iso-8859-1"],
    ["客1", "utf-8"],
    ["Ü1", "utf-8"],
  ])("states the encoding in which scanners get the code %s", async (code, messageEncoding) => {
    const shop = await openDesigned();
    const user = { email: "imported@example.com" };
    await shop.acme.passes.import([{ ...user, passes: [{ templateId: shop.template.id, code }] }]);
    const { id: userId } = await getByEmail(shop.acme.users, user);
    const [pass] = await shop.acme.passes.ofUser(userId);
    const { apple } = await shop.acme.passes.walletLinks(pass?.id ?? "");
    const readArchive = verifiedPass(await fetchArchive(shop, apple ?? ""), pki.root, shop.clock.now);
    expect(readArchive.pass.barcodes).toEqual([
      { format: "PKBarcodeFormatQR", message: pass?.qrCodeValue, messageEncoding },
    ]);
    expect(pass?.qrCodeValue.endsWith(`/${code}`)).toBe(true);
  });

  it("has the shop name from the settings, and gets a new one when that changes", async () => {
    const shop = await openDesigned();
    const { url } = await shop.newPass();
    const fetchName = async () =>
      verifiedPass(await fetchArchive(shop, url), pki.root, shop.clock.now).pass.organizationName;
    expect(await fetchName()).toBe("Coffee & Co");
    await shop.acme.settings.update({ name: "Bäckerei Blum" });
    expect(await fetchName()).toBe("Bäckerei Blum");
    await shop.acme.settings.update({ name: null });
    expect(await fetchName()).toBe("Coffee & Co");
  });

  it("has the shop's logo if its design has none, and follows its changes", async () => {
    const shop = await openDesigned();
    const { url } = await shop.newPass();
    const [template] = await shop.acme.templates.list();
    await shop.acme.templates.update(template?.id ?? "", { design: { backgroundColor: "#3B2417" } });
    const listLogos = async () =>
      [...verifiedPass(await fetchArchive(shop, url), pki.root, shop.clock.now).files.keys()].filter((name) =>
        name.startsWith("logo"),
      );
    expect(await listLogos()).toEqual([]);
    const logo = `data:image/png;base64,${Buffer.from(createSolidPng(480, "#AA2200")).toString("base64")}`;
    await shop.acme.settings.update({ logo });
    expect(await listLogos()).not.toEqual([]);
    await shop.acme.settings.update({ logo: null });
    expect(await listLogos()).toEqual([]);
  });

  it("has pictures at the scales that they fit, and its texts in every language", async () => {
    const shop = await openDesigned({ stampRenderer: null });
    const { url } = await shop.newPass();
    const { files } = verifiedPass(await fetchArchive(shop, url), pki.root, shop.clock.now);
    expect([...files.keys()]).toEqual([
      ...["pass.json", "icon.png", "icon@3x.png", "logo@2x.png", "strip@2x.png"],
      ...["en.lproj/pass.strings", "de.lproj/pass.strings", "manifest.json", "signature"],
    ]);
    const german = files.get("de.lproj/pass.strings")?.toString();
    expect(german).toContain('"Coffee \\"card\\"" = "Kaffeekarte";');
    expect(german).toContain('"5 more to go" = "noch 5";');
    expect(german).toContain('"One stamp\\nfor each cup" = "Ein Stempel je Tasse";');
  });

  it("has its stamps drawn at each scale, and the design's strip if drawing fails", async () => {
    const fetchFiles = async (options: Partial<WalletsOptions>) => {
      const shop = await openDesigned(options);
      const { id, url } = await shop.newPass();
      const before = verifiedPass(await fetchArchive(shop, url), pki.root, shop.clock.now).files;
      await shop.acme.stamps.add(id, { count: 3 });
      return { before, after: verifiedPass(await fetchArchive(shop, url), pki.root, shop.clock.now).files };
    };
    const { before, after } = await fetchFiles({});
    for (const [name, width] of [
      ["strip.png", 375],
      ["strip@2x.png", 750],
      ["strip@3x.png", 1_125],
    ] as const) {
      expect(after.get(name)?.readUInt32BE(16)).toBe(width);
      expect(after.get(name)).not.toEqual(before.get(name));
    }
    const rejectAlways = () => Promise.reject(new Error("no ink"));
    const { after: plain } = await fetchFiles({ stampRenderer: { strip: rejectAlways, hero: rejectAlways } });
    expect([...plain.keys()].filter((name) => name.startsWith("strip"))).toEqual(["strip@2x.png"]);
  });

  it("is accepted by passkit-generator, with nothing left out", async () => {
    const shop = await openDesigned();
    const member = await shop.acme.templates.create({ name: "Member", type: "LOYALTY_CARD", design });
    const warned = vi.spyOn(console, "warn").mockReturnValue();
    for (const templateId of [shop.template.id, member.id]) {
      const { url } = await shop.newPass(templateId);
      const { pass, files } = verifiedPass(await fetchArchive(shop, url), pki.root, shop.clock.now);
      const { certificate, key } = pki.pass;
      const theirs = new PKPass(Object.fromEntries(files), {
        ...{ wwdr: pki.wwdr, signerCert: certificate, signerKey: key },
      });
      const style = templateId === member.id ? "generic" : "storeCard";
      expect(theirs.type).toBe(style);
      const { barcodes, locations, expirationDate, [style]: fields, ...others } = pass;
      expect(theirs.props).toMatchObject({ ...others, barcodes, locations });
      expect(new Date(String(theirs.props.expirationDate))).toEqual(new Date(String(expirationDate)));
      const { headerFields, primaryFields, secondaryFields, auxiliaryFields, backFields } = theirs;
      const fieldGroups = { headerFields, primaryFields, secondaryFields, auxiliaryFields, backFields };
      expect(JSON.parse(JSON.stringify(fieldGroups))).toEqual(fields);
      expect(theirs.getAsBuffer().byteLength).toBeGreaterThan(1_000);
    }
    expect(warned).not.toHaveBeenCalled();
  });

  it("shows points with their unit, and expiring and upcoming points on the back, in each language", async () => {
    const shop = await openWallets(memoryStorage());
    await shop.acme.settings.update({ timeZone: "Europe/Vienna" });
    const club = await shop.acme.templates.create({
      ...{ name: "Club", type: "LOYALTY_CARD" },
      earning: { currency: "EUR", rules: [{ give: 1, per: { amount: 100 } }] },
      points: { pendingDays: 3 },
      design: { texts: [{ language: "en" }, { language: "de" }] },
    });
    const { id, url } = await shop.newPass(club.id);
    const read = async () => verifiedPass(await fetchArchive(shop, url), pki.root, shop.clock.now);
    expect((await read()).pass).toMatchObject({
      storeCard: {
        primaryFields: [{ key: "points", label: "Balance", value: "0 points", changeMessage: "%@" }],
        backFields: [{ key: "message" }],
      },
    });
    // In summer, midnight in Vienna is at 22:00 UTC.
    const expiresAt = "2031-07-31T22:00:00.000Z";
    await shop.acme.points.add(id, { points: 1_250, expiresAt });
    const { userId } = await shop.acme.passes.get(id);
    const at = new Date(shop.clock.now).toISOString();
    await shop.acme.purchases.put("till", "1", { userId, at, currency: "EUR", lines: [{ amount: 1_500 }] });
    const readPass = await read();
    const day = new Date(shop.clock.now + 3 * 86_400_000);
    const firstDay = (locale: string) =>
      day.toLocaleDateString(locale, { day: "numeric", month: "long", timeZone: "Europe/Vienna" });
    const getTexts = (language: string) =>
      ["points", "expiry", "upcoming"].map((key) =>
        localized(String(fieldsOf(readPass).get(key)?.value), readPass, language),
      );
    expect(getTexts("en")).toEqual([
      "1,250 points",
      "1,250 points expire on 31 July 2031",
      `15 more from ${firstDay("en-GB")}`,
    ]);
    expect(getTexts("de")).toEqual([
      "1.250 Punkte",
      "1.250 Punkte verfallen am 31. Juli 2031",
      `15 mehr ab dem ${firstDay("de")}`,
    ]);
    expect(fieldsOf(readPass).has("debt")).toBe(false);
    await shop.acme.templates.update(club.id, { points: { unit: "Beans" } });
    await shop.acme.points.remove(id, { points: 1_300, allowsDebt: true });
    const fields = fieldsOf(await read());
    expect(fields.get("points")?.value).toBe("0 Beans");
    expect(fields.get("debt")).toMatchObject({ label: "Negative balance", value: "35 Beans" });
    expect(fields.has("expiry")).toBe(false);
    await shop.acme.passes.delete(id);
    expect((await read()).pass).toMatchObject({ storeCard: {}, voided: true });
  });

  it("is generic without stamps, and has an icon without a design", async () => {
    const shop = await openWallets(memoryStorage());
    const member = await shop.acme.templates.create({ name: "Member", type: "LOYALTY_CARD" });
    const { url } = await shop.newPass(member.id);
    const { pass, files } = verifiedPass(await fetchArchive(shop, url), pki.root, shop.clock.now);
    expect(pass).toMatchObject({ generic: { primaryFields: [{ key: "title", value: "Member" }] } });
    expect(pass).not.toHaveProperty("storeCard");
    expect(files.get("icon.png")?.subarray(1, 4).toString()).toBe("PNG");
  });

  it("is signed once, even for many requests, until it changes or is ten minutes old", async () => {
    const shop = await openDesigned();
    const { id, url } = await shop.newPass();
    const first = await fetchArchive(shop, url);
    shop.clock.move(1_000);
    const archives = await Promise.all([
      fetchArchive(shop, url),
      fetchArchive(shop, url),
      fetchArchive(shop, url),
    ]);
    expect(archives.map((again) => again.equals(first))).toEqual([true, true, true]);
    await shop.acme.stamps.add(id);
    const stamped = await fetchArchive(shop, url);
    expect(stamped.equals(first)).toBe(false);
    await shop.acme.templates.update(shop.template.id, { design: { ...design, backgroundColor: "#000000" } });
    const recolored = await fetchArchive(shop, url);
    expect(recolored.equals(stamped)).toBe(false);
    shop.clock.move(600_000);
    expect((await fetchArchive(shop, url)).equals(recolored)).toBe(false);
  });

  it.each(["sha256", "sha1"] as const)("is accepted by openssl and unzip, with %s", async (digest) => {
    const shop = await openWallets(memoryStorage(), { apple: { ...appleOptions, digest } });
    await shop.acme.templates.update(shop.template.id, { design });
    const { url } = await shop.newPass();
    const archive = await fetchArchive(shop, url);
    const writeArchiveFile = (name: string, content: Uint8Array | string) => {
      writeFileSync(join(directory, name), content);
      return join(directory, name);
    };
    const pkpass = writeArchiveFile("card.pkpass", archive);
    expect(execFileSync("unzip", ["-t", pkpass]).toString()).toContain("No errors detected");
    const readPart = (name: string) => execFileSync("unzip", ["-p", pkpass, name]);
    const manifest = writeArchiveFile("manifest.json", readPart("manifest.json"));
    const verify = (content: string, root: string, at: number) =>
      execFileSync(
        "openssl",
        [
          ...[
            "cms",
            "-verify",
            "-binary",
            "-inform",
            "DER",
            "-in",
            writeArchiveFile("signature", readPart("signature")),
          ],
          ...["-content", content, "-CAfile", writeArchiveFile("root.pem", root), "-purpose", "any"],
          ...["-attime", String(Math.floor(at / 1_000)), "-out", join(directory, "out")],
        ],
        { stdio: "pipe" },
      );
    const { now } = shop.clock;
    expect(() => verify(manifest, pki.root, now)).not.toThrow();
    expect(() =>
      verify(writeArchiveFile("changed.json", `${readPart("manifest.json")} `), pki.root, now),
    ).toThrow();
    expect(() => verify(manifest, pki.pass.certificate, now)).toThrow();
    expect(() => verify(manifest, pki.root, now + 500 * 86_400_000)).toThrow();
  });

  it("is refused by a phone when it was changed, or signed with a foreign or an expired certificate", async () => {
    const shop = await openDesigned();
    const { url } = await shop.newPass();
    const archive = await fetchArchive(shop, url);
    const { now } = shop.clock;
    const alteredArchive = Buffer.from(archive);
    alteredArchive.write("Tea", alteredArchive.indexOf("High Street"));
    expect(() => verifiedPass(alteredArchive, pki.root, now)).toThrow("pass.json doesn't match its hash");
    const forged = Buffer.from(archive);
    const digit = forged.indexOf('manifest.json{"') + 40;
    forged.writeUInt8(forged.readUInt8(digit) ^ 1, digit);
    expect(() => verifiedPass(forged, pki.root, now)).toThrow();
    for (const [stranger, message] of [
      [pki.foreign, "the certificate chain is invalid"],
      [pki.expired, "a certificate has expired or isn't valid yet"],
    ] as const) {
      const { loyalty, newPass } = await openWallets(memoryStorage());
      const issuedCard = await serviceInternals(loyalty)
        .createWalletBackend(0)
        .card((await newPass()).id);
      if (issuedCard === null) throw new Error("there is no card");
      const identity = loadAppleIdentity({ ...appleOptions, ...stranger });
      const options = {
        identity,
        webServiceUrl: "https://shop.example",
        pictures: async () => null,
        drawings: null,
      };
      const theirs = await createPassPackage(issuedCard, options, now);
      expect(() => verifiedPass(theirs, pki.root, now)).toThrow(message);
    }
  });
});
