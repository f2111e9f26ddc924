import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { createSolidPng } from "../../../adapters/delivery/wallets/solid-png.js";
import { getByEmail } from "../../kit/acme.js";
import { openGoogle } from "./google-scene.js";

const createFields = (place: string, count: number) =>
  Array.from({ length: count }, (_, at) => ({ label: `${place} ${at}`, value: "text" }));

describe("a card at Google", () => {
  it("has its texts in all languages of its design", async () => {
    const { acme, template, newPass, save, google, wallets, shown } = await openGoogle(memoryStorage());
    const texts = [
      { language: "de", title: "Kaffeekarte", terms: "Eine je Kunde" },
      { language: "en", title: "Coffee card" },
    ];
    await acme.templates.update(template.id, { design: { texts }, reward: "Ein Kaffee" });
    const { id, url, objectId } = await newPass();
    await save(url);
    await acme.stamps.add(id, { count: 3 });
    await wallets.runOnce();
    expect(google.notifications).toEqual(["noch 2"]);
    const next = {
      defaultValue: { language: "de", value: "noch 2" },
      translatedValues: [{ language: "en", value: "2 more to go" }],
    };
    expect(shown(objectId)).toMatchObject({
      loyaltyPoints: { label: "Stempel", balance: { string: "3/5" } },
      textModulesData: [{ id: "next", body: "noch 2", localizedBody: next }],
      messages: [{ id: "next", body: "noch 2", localizedBody: next }],
    });
    expect([...google.classes.values()]).toMatchObject([
      {
        programName: "Kaffeekarte",
        localizedProgramName: { translatedValues: [{ language: "en", value: "Coffee card" }] },
        textModulesData: [
          { id: "reward", header: "Eine volle Karte bringt", body: "Ein Kaffee" },
          { id: "terms", body: "Eine je Kunde" },
        ],
      },
    ]);
  });

  it("shows the points as loyalty points, and expiring points in a text", async () => {
    const { acme, newPass, save, google, wallets, shown } = await openGoogle(memoryStorage());
    const texts = [{ language: "de" }, { language: "en" }];
    const club = await acme.templates.create({
      ...{ name: "Club", type: "LOYALTY_CARD", points: {}, design: { texts } },
    });
    const { id, url, objectId } = await newPass(club.id);
    await save(url);
    expect(shown(objectId)).toMatchObject({ loyaltyPoints: { balance: { int: 0 } }, textModulesData: [] });
    await acme.points.add(id, { points: 40, expiresAt: "2031-08-01T00:00:00.000Z" });
    await wallets.runOnce();
    expect(google.notifications).toEqual(["40 Punkte"]);
    const label = {
      defaultValue: { language: "de", value: "Punkte" },
      translatedValues: [{ language: "en", value: "Points" }],
    };
    expect(shown(objectId)).toMatchObject({
      loyaltyPoints: { label: "Punkte", localizedLabel: label, balance: { int: 40 } },
      textModulesData: [
        {
          ...{ id: "expiry", header: "Gültigkeit", body: "40 Punkte verfallen am 31. Juli 2031" },
          localizedBody: { translatedValues: [{ value: "40 points expire on 31 July 2031" }] },
        },
      ],
    });
    await acme.templates.update(club.id, { points: { unit: "Bohnen" } });
    for (let index = 0; index < 3; index += 1) await acme.points.add(id, { points: 1_000_000_000 });
    await wallets.runOnce();
    await wallets.runOnce();
    expect(shown(objectId)).toMatchObject({
      loyaltyPoints: { label: "Bohnen", balance: { string: "3000000040" } },
    });
    expect(google.complaints).toEqual([]);
  });

  it("shows a code of any script in UTF-8", async () => {
    const { acme, template, save, google, shown } = await openGoogle(memoryStorage());
    const user = { email: "imported@example.com" };
    await acme.passes.import([{ ...user, passes: [{ templateId: template.id, code: "客1" }] }]);
    const { id: userId } = await getByEmail(acme.users, user);
    const [pass] = await acme.passes.ofUser(userId);
    const links = await acme.passes.walletLinks(pass?.id ?? "");
    const objectId = await save(links.google ?? "");
    expect(shown(objectId)).toMatchObject({
      barcode: { type: "QR_CODE", value: pass?.qrCodeValue, renderEncoding: "UTF_8" },
    });
    expect(google.complaints).toEqual([]);
  });

  it("has the shop's name and logo from the settings, also after they change", async () => {
    const { acme, newPass, save, google, wallets } = await openGoogle(memoryStorage());
    const listNames = () => [...google.classes.values()].map(({ issuerName }) => issuerName);
    await acme.settings.update({ name: "Blum" });
    await save((await newPass()).url);
    expect(listNames()).toEqual(["Blum"]);
    await acme.settings.update({ name: "Bäckerei Blum" });
    await wallets.runOnce();
    await wallets.runOnce();
    expect(listNames()).toEqual(["Bäckerei Blum"]);
    const logo = `data:image/png;base64,${Buffer.from(createSolidPng(660, "#AA2200")).toString("base64")}`;
    const [template] = await acme.templates.list();
    await acme.templates.update(template?.id ?? "", { design: { backgroundColor: "#3B2417" } });
    const { logo: hash } = await acme.settings.update({ logo });
    await wallets.runOnce();
    await wallets.runOnce();
    expect(JSON.stringify([...google.classes.values()])).toContain(hash);
  });

  it("stays within Google's limits, and shows the rest of its texts on the object", async () => {
    const { acme, template, newPass, save, google, shown } = await openGoogle(memoryStorage());
    const texts = [
      { language: "en", front: createFields("front", 4), back: createFields("back", 20), terms: "terms" },
    ];
    await acme.templates.update(template.id, { design: { texts } });
    const { url, objectId } = await newPass();
    await save(url);
    const listIds = (content: Readonly<Record<string, unknown>> | undefined) =>
      Array.isArray(content?.textModulesData) ? content.textModulesData.map(({ id }) => id) : [];
    const [ofClass] = google.classes.values();
    expect(listIds(ofClass)).toHaveLength(10);
    expect(listIds(shown(objectId))).toHaveLength(10);
    expect(new Set([...listIds(ofClass), ...listIds(shown(objectId))]).size).toBe(20);
    expect(google.complaints).toEqual([]);
  });

  it("has no points without stamps, and has the links, locations and end date of its design", async () => {
    const { acme, newPass, save, google, shown } = await openGoogle(memoryStorage());
    const member = await acme.templates.create({
      name: "Member card",
      type: "LOYALTY_CARD",
      design: {
        links: [
          { label: "Shop", url: "https://shop.example" },
          { label: "Café", url: "https://café.example/menü" },
        ],
        locations: [{ latitude: 52.5, longitude: 13.4 }],
        expiresAt: "2027-01-01T00:00:00Z",
      },
    });
    const { url, objectId } = await newPass(member.id);
    await save(url);
    expect(shown(objectId)).not.toHaveProperty("loyaltyPoints");
    expect(shown(objectId)).toMatchObject({
      state: "ACTIVE",
      validTimeInterval: { end: { date: "2027-01-01T00:00:00.000Z" } },
    });
    expect([...google.classes.values()]).toMatchObject([
      {
        linksModuleData: {
          uris: [
            { uri: "https://shop.example", description: "Shop" },
            { uri: "https://xn--caf-dma.example/men%C3%BC", description: "Café" },
          ],
        },
        merchantLocations: [{ latitude: 52.5, longitude: 13.4 }],
      },
    ]);
    expect(google.complaints).toEqual([]);
  });

  it("shows the stamps as they are drawn, each state at its own unguessable URL", async () => {
    const drawings: string[] = [];
    const stampRenderer = {
      strip: async () => createSolidPng(1, "#000000"),
      async hero({ filled, total }: { filled: number; total: number }) {
        drawings.push(`${filled} of ${total}`);
        return createSolidPng(1, "#000000");
      },
    };
    const scene = await openGoogle(memoryStorage(), { stampRenderer });
    const { acme, newPass, save, wallets, shown, follow, google } = scene;
    const { id, url, objectId } = await newPass();
    await save(url);
    await acme.stamps.add(id, { count: 2 });
    await wallets.runOnce();
    expect(drawings).toEqual(["0 of 5", "2 of 5"]);
    const { sourceUri }: { sourceUri?: { uri?: string } } = Object(shown(objectId).heroImage);
    const hero = sourceUri?.uri ?? "";
    const answer = await follow(hero);
    expect(answer.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    for (const other of [
      hero.replace(/.\.png$/, ".png"),
      hero.replace(/(?<=heroes\/)./, (first) => (first === "_" ? "-" : "_")),
    ]) {
      expect((await follow(other)).status).toBe(404);
    }
    expect(google.complaints).toEqual([]);
  });

  it("shows the design's strip if nothing draws the stamps, and a plain logo if there is none", async () => {
    const { acme, template, newPass, save, google, shown } = await openGoogle(memoryStorage());
    const strip = `data:image/png;base64,${createSolidPng(64, "#00FF00").toString("base64")}`;
    const { design } = await acme.templates.update(template.id, { design: { strip } });
    const { url, objectId } = await newPass();
    await save(url);
    expect(shown(objectId).heroImage).toMatchObject({
      sourceUri: { uri: `https://shop.example/loyalty/wallets/images/${design?.strip}` },
    });
    expect([...google.classes.values()]).toMatchObject([
      { programLogo: { sourceUri: { uri: expect.stringContaining("/wallets/google/logos/ffffff.png") } } },
    ]);
    expect(google.complaints).toEqual([]);
  });
});
