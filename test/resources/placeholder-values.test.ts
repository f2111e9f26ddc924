import { describe, expect, it } from "vitest";
import { buildPlaceholderValues } from "../../src/messages/text-schema.js";

const template = { name: "Coffee card", maxStamps: 5 };

describe("the values of placeholders", () => {
  it("are those of the card, or of a new card if there is none", () => {
    const stamps = { currentStamps: 3, maxStamps: 8, rewardsAvailable: 1 };
    expect(buildPlaceholderValues("Ada", template, stamps, { available: 40 })).toEqual({
      ...{ name: "Ada", card: "Coffee card", stamps: 3, toGo: 5, rewards: 1, points: 40 },
    });
    expect(buildPlaceholderValues(null, template, null, null)).toEqual({
      ...{ name: null, card: "Coffee card", stamps: 0, toGo: 5, rewards: 0, points: 0 },
    });
    expect(buildPlaceholderValues(null, null, null, null)).toMatchObject({ card: null, toGo: 0 });
  });

  it("have no name that a program would turn into a link", () => {
    const names = ["www.evil.example", "https://evil.example", "call +43 1 234567", "a@evil.example"];
    expect(names.map((name) => buildPlaceholderValues(name, template, null, null).name)).toEqual(
      names.map(() => null),
    );
  });
});
