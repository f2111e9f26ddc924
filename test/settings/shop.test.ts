import { createHash } from "node:crypto";
import { LoyaltyService, type UpdateSettings } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { runStep } from "../../src/base/concurrency/step.js";
import { buildBomb, buildJpeg, buildPng, dataUrl } from "../cards/hostile-pictures.js";
import { createPng } from "../cards/some-picture.js";
import { openAcme } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { getRefusedFields } from "../kit/refusal.js";

const hashBytes = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");
const card = { name: "Coffee card", type: "STAMP_CARD", maxStamps: 10 } as const;

describe.each(everyAdapter)("the shop's settings, on $name", ({ open }) => {
  it("have a name, a logo, a language and a currency, each set and cleared separately", async () => {
    const { acme } = openAcme({ storage: await open() });
    const picture = createPng(60, 40);
    const logo = hashBytes(picture);
    const set = { name: "Café Müller", logo: dataUrl(picture), language: "de-at", currency: "EUR" };
    expect(await acme.settings.update(set)).toMatchObject({ ...set, logo, language: "de-AT" });
    await acme.settings.update({ timeZone: "Europe/Vienna" });
    expect(await acme.settings.update({ language: null })).toMatchObject({
      ...{ name: "Café Müller", logo, language: null, currency: "EUR", timeZone: "Europe/Vienna" },
    });
    const none = { name: null, logo: null, currency: null };
    expect(await acme.settings.update(none)).toMatchObject({ ...none, timeZone: "Europe/Vienna" });
    expect((await acme.audit.list()).content.map(({ details }) => details)).toEqual([
      { name: "Café Müller", logo, language: "de-AT", currency: "EUR" },
      { timeZone: "Europe/Vienna" },
      { language: null },
      none,
    ]);
  });

  it("stay the same, without an audit entry, when they are set to their current values", async () => {
    const { acme, clock } = openAcme({ storage: await open() });
    const logo = dataUrl(createPng(9, 9));
    const first = await acme.settings.update({ name: "Café", logo });
    clock.move(1_000);
    expect(await acme.settings.update({ name: " Café ", logo })).toEqual(first);
    expect(await acme.settings.update({ logo: first.logo })).toEqual(first);
    expect((await acme.audit.list()).content).toHaveLength(1);
  });

  it("leave the days of the statistics as they are", async () => {
    const { acme, clock } = openAcme({ storage: await open() });
    clock.now = Date.parse("2026-06-10T20:00:00Z");
    await acme.settings.update({ timeZone: "Asia/Tokyo" });
    await acme.users.create({ email: "ada@example.com" });
    await acme.settings.update({ name: "Café" });
    await acme.users.create({ email: "bob@example.com" });
    const { days } = await acme.statistics.get({ from: "2026-06-10", to: "2026-06-11" });
    expect(days.map(({ customers }) => customers)).toEqual([0, 2]);
  });
});

describe("the shop's settings", () => {
  it.each<[field: keyof UpdateSettings, value: string]>([
    ["name", " "],
    ["name", "two\nlines"],
    ["name", "é".repeat(79)],
    ["language", "not a language"],
    ["language", "de_DE"],
    ["currency", "eur"],
    ["currency", "EURO"],
    ["currency", "XX0"],
    ["logo", "https://coffee.example/logo.png"],
    ["logo", "0".repeat(64)],
    ["logo", `data:image/svg+xml;base64,${Buffer.from("<svg onload='x()'/>").toString("base64")}`],
    ["logo", dataUrl(Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"))],
    ["logo", dataUrl(Buffer.alloc(524_289, 0x89))],
    ["logo", dataUrl(buildPng({ width: 2 ** 31, height: 8, rows: buildBomb(9) }))],
    ["logo", dataUrl(createPng(2_049, 1))],
    ["logo", dataUrl(buildJpeg({ width: 2_048, height: 2_048, scans: 20_000 }))],
    ["logo", dataUrl(buildPng().subarray(0, 60))],
  ])("refuse an invalid %s, and stay as they were (%#)", async (field, value) => {
    const { acme } = openAcme();
    expect(await getRefusedFields(acme.settings.update({ name: "Café", [field]: value }))).toEqual([field]);
    expect(await acme.settings.get()).toMatchObject({ name: null, logo: null, updatedAt: null });
  });

  it("refuse a logo that only another organization has", async () => {
    const { acme, loyalty } = openAcme();
    const { logo } = await acme.settings.update({ logo: dataUrl(createPng(5, 5)) });
    const globex = loyalty.organization("globex").settings;
    expect(await getRefusedFields(globex.update({ logo }))).toEqual(["logo"]);
  });

  it("preserve their logo when designs add many pictures, but not after it is removed", async () => {
    const storage = memoryStorage();
    const acme = new LoyaltyService({ storage }).organization("acme");
    const picture = createPng(7, 7);
    await acme.settings.update({ logo: dataUrl(picture) });
    const { id } = await acme.templates.create(card);
    const replaceIcons = async (height: number) => {
      for (let width = 1; width <= 201; width += 1) {
        await acme.templates.update(id, { design: { icon: dataUrl(createPng(width, height)) } });
      }
    };
    const listHashes = async () =>
      (await runStep(storage.reader("acme").listPictures())).map(({ hash }) => hash);
    await replaceIcons(1);
    expect(await listHashes()).toContain(hashBytes(picture));
    await acme.settings.update({ logo: null });
    await replaceIcons(2);
    expect(await listHashes()).not.toContain(hashBytes(picture));
    expect(await listHashes()).toHaveLength(200);
  });

  it("store only the picture of a file, and no other bytes", async () => {
    const storage = memoryStorage();
    const acme = new LoyaltyService({ storage }).organization("acme");
    const { logo } = await acme.settings.update({
      logo: dataUrl(Buffer.concat([createPng(5, 5), Buffer.from("<script>hidden</script>")])),
    });
    const storedPicture = await runStep(storage.all.findPicture(logo ?? ""));
    expect(Buffer.from(storedPicture?.bytes ?? []).toString("latin1")).not.toContain("hidden");
  });
});
