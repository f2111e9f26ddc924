import { expect, it } from "vitest";
import { motifs } from "../../adapters/console/browser/cards/ready/motifs.js";
import { trades } from "../../adapters/console/browser/cards/ready/trades.js";
import { contrast } from "../../adapters/wallets/stamp-drawing/shades.js";
import { newDesignSchema } from "../../src/resources/design.js";

it("there is a design for each of ten trades, each with a picture of its own", () => {
  expect(trades.map(({ name }) => name)).toEqual([
    ...["Café", "Bakery", "Barber", "Ice cream", "Pizzeria", "Florist", "Bookshop", "Car wash"],
    ...["Yoga studio", "Pet shop"],
  ]);
  expect(new Set(trades.map(({ motif }) => motifs[motif])).size).toBe(10);
});

it.each(trades)("the design for a $name can be read, and is one that the server takes", (trade) => {
  const { backgroundColor, foregroundColor, labelColor, shape, reward, ...words } = trade;
  const { stampsLabel, rewardsLabel, toGo, rewardReady } = words;
  expect(contrast(backgroundColor, foregroundColor)).toBeGreaterThan(4.5);
  expect(contrast(backgroundColor, labelColor)).toBeGreaterThan(4.5);
  expect(reward.length).toBeLessThanOrEqual(150);
  const design = { backgroundColor, foregroundColor, labelColor, stamps: { shape } };
  const texts = [{ language: "en", stampsLabel, rewardsLabel, toGo, rewardReady }];
  expect(newDesignSchema.safeParse({ ...design, texts }).error).toBeUndefined();
});
