import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CardPictures, drawCard } from "../../adapters/delivery/wallets/card-picture.js";
import { getRasterizer } from "../../adapters/delivery/wallets/rasterizing/rasterizer.js";
import { wrapLines } from "../../adapters/delivery/wallets/text-lines.js";
import { hostile } from "../console/hostile.js";
import { someLook } from "./drawing/some-look.js";

const none: CardPictures = { logo: null, strip: null, filled: null, empty: null };
const design = { ...someLook, texts: [] };
const full = { maxStamps: 10, currentStamps: 0, rewardsAvailable: 1 };

/** Lists the texts between the tags of a drawing. */
const listTexts = (svg: string) => [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text);

const points = { available: 0, debt: 0, expiring: null, upcoming: null };

describe("the picture of a card", () => {
  it("shows the points with their unit, even a billion of them", () => {
    const draw = (shown: Partial<typeof points>, unit: string | null = null) =>
      listTexts(
        drawCard({ name: "Club", reward: null, design }, null, none, "de", { ...points, ...shown, unit }).svg,
      );
    expect(draw({})).toEqual(["Club", "Punkte", "0"]);
    expect(draw({ available: 1_250 }, "Bohnen")).toEqual(["Club", "Bohnen", "1.250"]);
    expect(draw({ available: 1_250_000_000 })).toEqual(["Club", "Punkte", "1.250.000.000"]);
  });

  it("shows the title, the stamps and the reward of a full card, in the requested language", () => {
    const { svg } = drawCard(
      { name: "Coffee", reward: "A cake", design },
      { maxStamps: 8, currentStamps: 3, rewardsAvailable: 0 },
      none,
      "de-AT",
    );
    expect(listTexts(svg)).toEqual(["Coffee", "Stempel", "3 / 8", "Eine volle Karte bringt", "A cake"]);
    expect(svg.match(/href="#stamp-filled"/g)).toHaveLength(3);
    expect(svg.match(/href="#stamp-empty"/g)).toHaveLength(4);
  });

  it("announces a waiting reward in the words of the design", () => {
    const texts = [{ ...wordless, language: "fr", title: "Café", rewardReady: "Servez-vous" }];
    const { svg } = drawCard(
      { name: "Coffee", reward: null, design: { ...design, texts } },
      full,
      none,
      "en",
    );
    expect(listTexts(svg)).toEqual(["Café", "Tampons", "0 / 10", "Servez-vous"]);
  });

  it("contains no markup from its texts, whatever they are", () => {
    const text = fc.oneof(fc.string({ unit: "binary", maxLength: 200 }), fc.constant(hostile));
    fc.assert(
      fc.property(text, text, (name, reward) => {
        const { svg } = drawCard({ name, reward, design }, full, { ...none, logo: name }, "en");
        const tags = [...svg.matchAll(/<\/?([^\s/>]*)/g)].map(([, tag]) => tag ?? "");
        expect(allowedElements).toEqual(expect.arrayContaining(tags));
        expect(svg).not.toMatch(/\bon\w+="/);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: XML has none of these.
        expect(svg).not.toMatch(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/);
        expect(svg.isWellFormed()).toBe(true);
      }),
    );
  });

  it.each([hostile, "\u0001\u001b", "名刺".repeat(60), "👩‍👩‍👧‍👦".repeat(30), "Ω".repeat(150)])(
    "can be rasterized for %j",
    async (name) => {
      const rasterize = await getRasterizer();
      const { svg, width, height } = drawCard({ name, reward: name, design }, full, none, "en");
      const png = Buffer.from((await rasterize(svg)).png);
      expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([width, height]);
    },
  );
});

const allowedElements = ["svg", "rect", "g", "defs", "use", "text", "image", "circle", "path"];

const wordless = {
  ...{ title: null, description: null, stampsLabel: null, rewardsLabel: null, toGo: null, rewardReady: null },
  ...{ front: [], back: [], terms: null },
};

describe("the lines of a text", () => {
  const word = fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 });
  const room = fc.record({
    width: fc.integer({ min: 40, max: 400 }),
    size: fc.integer({ min: 8, max: 24 }),
    maxLines: fc.integer({ min: 1, max: 4 }),
  });

  it("are at most as many as fit, and begin as the text does", () => {
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), room, (words, roomForText) => {
        const text = words.join(" ");
        const lines = wrapLines(text, roomForText);
        expect(lines.length).toBeLessThanOrEqual(roomForText.maxLines);
        const removeSpaces = (some: string) => some.replaceAll(/\s/gu, "");
        const visibleText = removeSpaces(lines.join(""));
        const isCut = visibleText !== removeSpaces(text);
        if (isCut) expect(visibleText.endsWith("…")).toBe(true);
        expect(removeSpaces(text).startsWith(isCut ? visibleText.slice(0, -1) : visibleText)).toBe(true);
      }),
    );
  });

  it("break between words where possible", () => {
    expect(wrapLines("A coffee on the house", { width: 120, size: 16, maxLines: 2 })).toEqual([
      "A coffee on",
      "the house",
    ]);
  });
});
