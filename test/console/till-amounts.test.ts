import fc from "fast-check";
import { LoyaltyService } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import {
  countMinorDigits,
  parseAmount,
  typeAmountKey,
} from "../../adapters/apps/console/browser/till/amount.js";
import {
  createOffer,
  describePreview,
  listEarningCards,
} from "../../adapters/apps/console/browser/till/earning-card.js";
import { AmountKeys } from "../../adapters/apps/console/browser/till/scanned-keys.js";
import { createReceipt } from "../../adapters/apps/console/browser/till/till-purchase.js";
import type { CreateTemplate } from "../../src/cards/schema.js";
import { purchaseKeySchema } from "../../src/purchases/schema.js";

const typeKeys = (currency: string, ...keys: readonly string[]) => {
  const digits = countMinorDigits(currency);
  return parseAmount(
    keys.reduce((text, key) => typeAmountKey(text, key, digits), ""),
    digits,
  );
};

describe("an amount typed at the till", () => {
  it.each([
    ["EUR", "1250", 1_250],
    ["EUR", "12.5", 1_250],
    ["EUR", "12,50", 1_250],
    ["EUR", "12.509", 1_250],
    ["EUR", "12.5.0", 1_250],
    ["EUR", ".5", 50],
    ["EUR", "0005", 5],
    ["EUR", "x1-2€", 12],
    ["JPY", "1250", 1_250],
    ["JPY", "1,250", 1_250],
    ["KWD", "1250", 1_250],
    ["KWD", "1.25", 1_250],
    ["EUR", "", 0],
    ["EUR", ".", 0],
  ])("in %s with the keys %s is %d minor units", (currency, keys, amount) => {
    expect(typeKeys(currency, ...keys)).toBe(amount);
  });

  it("has keys for two zeros and for deleting the last digit", () => {
    expect(typeKeys("EUR", "5", "00")).toBe(500);
    expect(typeKeys("EUR", "00", "5")).toBe(5);
    expect(typeKeys("EUR", "1", "2", ".", "5", "Backspace", "Backspace", "Backspace")).toBe(1);
    expect(typeKeys("EUR", "1", "Backspace", "Backspace")).toBe(0);
    expect(typeKeys("EUR", "0", ".", "5", "Backspace", "Backspace", "7")).toBe(7);
  });

  it("is an integer that a purchase may have, whatever is pressed", () => {
    const key = fc.constantFrom(..."0123456789.,x", "00", "Backspace", "Enter");
    fc.assert(
      fc.property(
        fc.constantFrom("EUR", "JPY", "KWD"),
        fc.array(key, { maxLength: 60 }),
        (currency, keys) => {
          const amount = typeKeys(currency, ...keys);
          expect(Number.isSafeInteger(amount) && amount >= 0 && amount < 1e12).toBe(true);
        },
      ),
    );
  });
});

describe("the till's preview of what an amount gives", () => {
  const never = { from: "00:00", to: "00:00" };
  it.each<[CreateTemplate, string]>([
    [{ name: "Club", type: "LOYALTY_CARD", points: {} }, "Gives 12 points"],
    [{ name: "Club", type: "LOYALTY_CARD", points: { unit: "beans" } }, "Gives 12 beans"],
    [{ name: "Club", type: "STAMP_CARD", maxStamps: 20 }, "Gives 12 stamps"],
  ])("matches what the engine gives: %j", async (template, expected) => {
    expect(await comparePreview(template, { rules: [{ give: 1, per: { amount: 100 } }] })).toBe(expected);
  });

  it("names the cards that the amount counts for if the scanned card earns nothing", async () => {
    const loyalty = new LoyaltyService({ storage: memoryStorage() });
    const earning = { currency: "EUR", rules: [{ give: 1, per: { amount: 100 } }] };
    const club = await loyalty
      .organization("acme")
      .templates.create({ name: "Club", type: "LOYALTY_CARD", points: {}, earning });
    const describeFor = (templateId: string, amount: number) => {
      const offer = createOffer(listEarningCards([club]), templateId);
      return offer && describePreview(offer, amount, "UTC", Date.now());
    };
    expect([describeFor("other", 0), describeFor("other", 1_250)]).toEqual([
      "Type the amount for Club",
      "Gives 12 points on Club",
    ]);
    expect([describeFor(club.id, 0), describeFor(club.id, 1_250)]).toEqual([
      "Type the amount",
      "Gives 12 points",
    ]);
    await loyalty.close();
  });

  it("takes account of bonuses in the organization's time zone, minimums, and limits", async () => {
    const card = { name: "Club", type: "LOYALTY_CARD", points: {} } as const;
    const rules = [{ give: 1, per: { amount: 100 } }] as const;
    const compare = (earning: Partial<EarningInput>) =>
      comparePreview(card, { rules: [...rules], ...earning });
    // It is Tuesday, 23:30 in UTC, and Wednesday, 08:30 in Tokyo.
    const tuesday = { percent: 200, weekdays: [2] };
    const wednesday = { percent: 200, weekdays: [3], between: { from: "08:00", to: "09:00" } };
    expect(await compare({ bonuses: [tuesday] })).toBe("Gives 12 points");
    expect(await compare({ bonuses: [wednesday] })).toBe("Gives 25 points");
    expect(await compare({ bonuses: [{ percent: 150, between: never }] })).toBe("Gives 12 points");
    expect(await compare({ limits: { perPurchase: 7 } })).toBe("Gives 7 points");
    expect(await compare({ limits: { perDay: 9 } })).toBe("Gives up to 9 points");
    expect(await compare({ rules: [{ ...rules[0], minAmount: 1_251 }] })).toBe("Gives nothing");
    expect(await compare({ rules: [{ ...rules[0], only: { categories: ["tea"] } }] })).toBe("Gives nothing");
    expect(await compare({ counts: { kinds: ["tip"] } })).toBe("Gives nothing");
  });
});

type EarningInput = Omit<NonNullable<CreateTemplate["earning"]>, "currency">;

/** Previews and books 12.50 for a new card. @returns the preview, which must match what the engine gives. */
async function comparePreview(template: CreateTemplate, earning: EarningInput): Promise<string> {
  const now = Date.parse("2026-12-01T23:30:00Z");
  const loyalty = new LoyaltyService({ storage: memoryStorage(), clock: () => now });
  const acme = loyalty.organization("acme");
  const timeZone = "Asia/Tokyo";
  await acme.settings.update({ timeZone });
  const { id } = await acme.templates.create({ ...template, earning: { ...earning, currency: "EUR" } });
  const { id: walletPassId, userId } = await acme.passes.create(id, { user: { email: "ada@example.com" } });
  const cards = listEarningCards((await acme.passes.ofUser(userId)).map((pass) => pass.template));
  const offer = createOffer(cards, id);
  if (offer === null) throw new Error("the card earns nothing");
  const preview = describePreview(offer, 1_250, timeZone, now);
  const lines = [{ amount: 1_250 }];
  const { effects } = await acme.purchases.put("till-1", "1", { walletPassId, currency: "EUR", lines });
  expect(Number(/\d+/.exec(preview)?.[0] ?? 0)).toBe(effects[0]?.units);
  await loyalty.close();
  return preview;
}

describe("the keys of an amount", () => {
  const code = "aB3dE6gH9jK2";
  /** Presses keys with this many milliseconds between them. Their digits form the amount. */
  const press = (...runs: readonly (readonly [keys: string, gap: number])[]) => {
    const keys = new AmountKeys((text) => text === code);
    let [at, amount] = [0, ""];
    const ends = [];
    for (const [text, gap] of runs) {
      for (const key of text.split("")) {
        at += gap;
        const name = key === "⏎" ? "Enter" : key;
        ends.push(keys.processKey(name, at, amount));
        amount = typeAmountKey(amount, name, 2);
      }
    }
    return ends.filter((end) => end !== null);
  };
  const amount = { kind: "amount" };

  it("end with Enter, at any typing speed", () => {
    for (const gap of [2, 50, 200, 900])
      for (const text of ["5⏎", "1250⏎", "12.50⏎"]) expect(press([text, gap])).toEqual([amount]);
    expect(press(["123456789⏎", 200])).toEqual([amount]);
    expect(press(["12⏎", 1_100])).toEqual([]);
  });

  it("are told apart from a scan, whose digits don't become part of the amount", () => {
    for (const gap of [2, 50, 200])
      expect(press(["12", 1_500], [`${code}⏎`.slice(0, 1), 1_500], [`${code}⏎`.slice(1), gap])).toEqual([
        { kind: "scan", text: code, amountText: "12" },
      ]);
    // The scan begins less than a second after the last digit.
    expect(press(["12", 300], [code.slice(0, 1), 300], [`${code.slice(1)}⏎`, 2])).toEqual([
      { kind: "scan", text: code, amountText: "12" },
    ]);
  });

  it("don't include a product's barcode, or anything else that a scanner types", () => {
    expect(press(["7", 1_500], ["4", 1_500], ["006381333931⏎", 2])).toEqual([
      { kind: "scan", text: "4006381333931", amountText: "7" },
    ]);
    expect(press(["no card⏎", 200])).toEqual([{ kind: "scan", text: "no card", amountText: "" }]);
  });
});

describe("a till's receipt number", () => {
  it("contains the time, is valid for a purchase, and is unique", () => {
    const now = Date.parse("2026-11-29T18:30:05.250Z");
    const receipts = Array.from({ length: 1_000 }, () => createReceipt(now));
    expect(new Set(receipts).size).toBe(1_000);
    for (const receipt of receipts) {
      expect(receipt).toMatch(/^20261129-183005-[a-z0-9]{6}$/);
      expect(purchaseKeySchema.safeParse({ source: "till-1", receipt }).success).toBe(true);
    }
  });
});
