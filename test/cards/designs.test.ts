import { createHash } from "node:crypto";
import { LoyaltyService, type NewDesign } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { runStep } from "../../src/base/concurrency/step.js";
import { createJpeg, createPng } from "./some-picture.js";

const plain = {
  backgroundColor: "#FFFFFF",
  foregroundColor: "#111827",
  labelColor: "#4B5563",
  logo: null,
  icon: null,
  strip: null,
  stamps: { shape: "CIRCLE", filled: null, empty: null },
  texts: [],
  links: [],
  locations: [],
  expiresAt: null,
};

const card = { name: "Coffee card", type: "STAMP_CARD", maxStamps: 10 } as const;
const dataUrl = (bytes: Buffer, type = "image/png") => `data:${type};base64,${bytes.toString("base64")}`;
const hashOf = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

function openOrganization() {
  const storage = memoryStorage();
  const loyalty = new LoyaltyService({ storage });
  return { storage, loyalty, acme: loyalty.organization("acme") };
}

/** Links that only the URL Standard parses as links, or that look like other links. */
const misread = [
  "https://coffee.example/\n",
  "ht\ntps://coffee.example",
  " https://coffee.example",
  "https://coffee.example/a b",
  "https:coffee.example",
  "https:/coffee.example",
  "https:///coffee.example",
  "https:\\\\coffee.example",
  "https://coffee.example@evil.example",
  "https://coffee.example/\u202egpj.exe",
  "mailto:hi@coffee.example\r\nbcc:all@coffee.example",
  "tel:+1\n2",
];

describe("the design of a template", () => {
  it("is null by default, and null clears it", async () => {
    const { templates } = openOrganization().acme;
    const { id, design } = await templates.create(card);
    expect(design).toBeNull();
    expect((await templates.create({ ...card, design: null })).design).toBeNull();
    expect((await templates.update(id, { design: {} })).design).toEqual(plain);
    expect((await templates.update(id, { name: "Tea card" })).design).toEqual(plain);
    expect((await templates.update(id, { design: null })).design).toBeNull();
  });

  it("stores language tags in the same canonical form as customers' languages", async () => {
    const { templates } = openOrganization().acme;
    const texts = ["iw", "de-at", "in"].map((language) => ({ language }));
    const { design } = await templates.create({ ...card, design: { texts } });
    expect(design?.texts.map(({ language }) => language)).toEqual(["he", "de-AT", "id"]);
  });

  it("returns every field, with defaults for omitted ones", async () => {
    const { templates } = openOrganization().acme;
    const { id, design } = await templates.create({
      ...card,
      design: {
        backgroundColor: "#3b2417",
        stamps: { shape: "CUP" },
        texts: [{ language: "de", title: " Kaffee ", front: [{ label: "Ort", value: "Wien" }] }],
        links: [{ label: "Menu", url: "https://coffee.example/menu" }],
        locations: [{ latitude: 48.2, longitude: 16.37 }],
        expiresAt: "2030-01-01T01:00:00+01:00",
      },
    });
    expect(design).toEqual({
      ...plain,
      backgroundColor: "#3B2417",
      stamps: { shape: "CUP", filled: null, empty: null },
      texts: [
        {
          language: "de",
          title: " Kaffee ",
          description: null,
          stampsLabel: null,
          rewardsLabel: null,
          toGo: null,
          rewardReady: null,
          front: [{ label: "Ort", value: "Wien" }],
          back: [],
          terms: null,
        },
      ],
      links: [{ label: "Menu", url: "https://coffee.example/menu" }],
      locations: [{ latitude: 48.2, longitude: 16.37, text: null }],
      expiresAt: "2030-01-01T00:00:00.000Z",
    });
    expect((await templates.get(id)).design).toEqual(design);
    expect(await templates.list()).toMatchObject([{ design }]);
  });

  it("isn't updated, and emits no event, when it is sent back as returned", async () => {
    const { loyalty, acme } = openOrganization();
    const messages: string[] = [];
    loyalty.on("template.updated", ({ id }) => messages.push(id));
    const before = await acme.templates.create({
      ...card,
      design: { logo: dataUrl(createPng(4, 3)), texts: [{ language: "en" }] },
    });
    expect(await acme.templates.update(before.id, { design: before.design })).toEqual(before);
    expect(messages).toEqual([]);
  });

  it.each<[field: string, design: NewDesign]>([
    ["design.backgroundColor", { backgroundColor: "red" }],
    ["design.stamps.shape", { stamps: { shape: "SKULL" as "STAR" } }],
    ["design.texts.0.language", { texts: [{ language: "English" }] }],
    ["design.texts", { texts: [{ language: "en" }, { language: "en" }] }],
    ["design.texts.0.toGo", { texts: [{ language: "en", toGo: "more to go" }] }],
    ["design.texts.0.title", { texts: [{ language: "en", title: "x".repeat(41) }] }],
    ["design.links.0.url", { links: [{ label: "Menu", url: "javascript:alert(1)" }] }],
    ["design.texts", { texts: [{ language: "he" }, { language: "iw" }] }],
    ...misread.map((url): [string, NewDesign] => ["design.links.0.url", { links: [{ label: "Menu", url }] }]),
    ["design.locations", { locations: Array.from({ length: 11 }, () => ({ latitude: 0, longitude: 0 })) }],
    ["design.locations.0.latitude", { locations: [{ latitude: 91, longitude: 0 }] }],
    ["design.expiresAt", { expiresAt: "tomorrow" }],
  ])("is refused when %s is invalid", async (field, design) => {
    const { acme } = openOrganization();
    const rejection = acme.templates.create({ ...card, design });
    await expect(rejection).rejects.toMatchObject({ code: "validation_failed" });
    await expect(rejection).rejects.toHaveProperty(["detail", "fields", field]);
    expect(await acme.templates.list()).toEqual([]);
  });
});

describe("a picture of a design", () => {
  it("is stored under the hash of its bytes, and later designs can refer to it by that hash", async () => {
    const { storage, acme } = openOrganization();
    const [png, jpeg] = [createPng(4, 3), createJpeg(8, 5)];
    const { design } = await acme.templates.create({
      ...card,
      design: { logo: dataUrl(png), strip: dataUrl(jpeg, "image/jpeg") },
    });
    expect(design).toMatchObject({ logo: hashOf(png), strip: hashOf(jpeg), icon: null });
    expect(await runStep(storage.all.findPicture(hashOf(png)))).toMatchObject({
      type: "image/png",
      width: 4,
      height: 3,
      bytes: new Uint8Array(png),
    });
    expect(await runStep(storage.all.findPicture(hashOf(jpeg)))).toMatchObject({
      type: "image/jpeg",
      width: 8,
      height: 5,
    });
    const repeatedTemplate = await acme.templates.create({ ...card, design: { icon: hashOf(png) } });
    expect(repeatedTemplate.design).toMatchObject({ icon: hashOf(png) });
  });

  it("is identified by its content, whatever its declared type", async () => {
    const { storage, acme } = openOrganization();
    await acme.templates.create({ ...card, design: { icon: dataUrl(createPng(2, 2), "image/jpeg") } });
    expect(await runStep(storage.all.findPicture(hashOf(createPng(2, 2))))).toMatchObject({
      type: "image/png",
    });
  });

  it.each<[what: string, icon: string]>([
    ["text labeled as a PNG", dataUrl(Buffer.from("<svg/>"), "image/png")],
    ["a truncated PNG", dataUrl(createPng(3, 3).subarray(0, -5))],
    ["a truncated JPEG", dataUrl(createJpeg(3, 3).subarray(0, -2))],
    ["a PNG with zero width", dataUrl(createPng(0, 3))],
    ["too wide", dataUrl(createPng(2_049, 3))],
    ["too high", dataUrl(createPng(3, 2_049))],
    ["too large in bytes", dataUrl(Buffer.concat([createPng(3, 3), Buffer.alloc(524_288)]))],
    ["a URL", "https://example.com/icon.png"],
    ["invalid base64", "data:image/png;base64,%%%"],
    ["an unknown hash", "0".repeat(64)],
  ])("is refused when it is %s", async (_, icon) => {
    const { storage, acme } = openOrganization();
    const rejection = acme.templates.create({ ...card, design: { icon } });
    await expect(rejection).rejects.toMatchObject({ code: "validation_failed" });
    await expect(rejection).rejects.toHaveProperty(["detail", "fields", "design.icon"]);
    expect(await runStep(storage.reader("acme").listPictures())).toEqual([]);
  });

  it("of another organization can't be referenced by its hash", async () => {
    const { loyalty, acme } = openOrganization();
    await acme.templates.create({ ...card, design: { icon: dataUrl(createPng(3, 3)) } });
    const { templates } = loyalty.organization("globex");
    const rejection = templates.create({ ...card, design: { icon: hashOf(createPng(3, 3)) } });
    await expect(rejection).rejects.toMatchObject({ code: "validation_failed" });
  });

  it("is removed to make room once no design uses it, and an organization has at most 200", async () => {
    const { storage, acme } = openOrganization();
    const { id } = await acme.templates.create(card);
    for (let width = 1; width <= 201; width += 1) {
      await acme.templates.update(id, { design: { icon: dataUrl(createPng(width, 1)) } });
    }
    const pictures = await runStep(storage.reader("acme").listPictures());
    expect(pictures).toHaveLength(200);
    expect(pictures.map(({ hash }) => hash)).toContain(hashOf(createPng(201, 1)));
    for (const [at, { hash }] of pictures.entries()) {
      if (at % 2 === 0)
        await acme.templates.create({ ...card, design: { icon: hash, logo: pictures[at + 1]?.hash } });
    }
    const rejection = acme.templates.update(id, { design: { icon: dataUrl(createPng(1, 2)) } });
    await expect(rejection).rejects.toMatchObject({ code: "too_many_pictures" });
    expect(await runStep(storage.reader("acme").listPictures())).toEqual(pictures);
  });
});
