import { describe, expect, it } from "vitest";
import { motifs } from "../../adapters/apps/console/browser/cards/presets/motifs.js";
import { tradeTexts } from "../../adapters/apps/console/browser/cards/presets/trade-texts.js";
import { tradeKeys, trades } from "../../adapters/apps/console/browser/cards/presets/trades.js";
import { readyDesigns } from "../../adapters/apps/console/browser/words/en/ready-designs.js";
import { computeContrast } from "../../adapters/delivery/wallets/stamp-drawing/colors.js";
import { newDesignSchema } from "../../src/cards/design-schema.js";

it("there is a design for each of ten trades, each with its own picture", () => {
  expect(tradeKeys.map((trade) => readyDesigns.trades[trade])).toEqual([
    ...["Café", "Bakery", "Barber", "Ice cream", "Pizzeria", "Florist", "Bookshop", "Car wash"],
    ...["Yoga studio", "Pet shop"],
  ]);
  expect([...tradeKeys].sort()).toEqual(Object.keys(trades).sort());
  expect(new Set(tradeKeys.map((trade) => motifs[trades[trade].motif])).size).toBe(10);
});

describe.each(["en", "de"] as const)("in the language %s", (language) => {
  it.each(tradeKeys)("the design for a %s is readable and accepted by the server", (trade) => {
    const { backgroundColor, foregroundColor, labelColor, shape } = trades[trade];
    const { reward, ...said } = tradeTexts[language][trade];
    expect(computeContrast(backgroundColor, foregroundColor)).toBeGreaterThan(4.5);
    expect(computeContrast(backgroundColor, labelColor)).toBeGreaterThan(4.5);
    expect(reward.length).toBeLessThanOrEqual(150);
    const design = { backgroundColor, foregroundColor, labelColor, stamps: { shape } };
    const texts = [{ language, ...said }];
    expect(newDesignSchema.safeParse({ ...design, texts }).error).toBeUndefined();
  });
});
