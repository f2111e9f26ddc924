import { type CreateTemplate, LoyaltyService } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it, onTestFinished } from "vitest";
import { findReason } from "../../adapters/apps/console/browser/purchases/purchase-reason.js";
import {
  describeReason,
  type ReasonTexts,
} from "../../adapters/apps/console/browser/purchases/reason-sentences.js";
import * as germanForms from "../../adapters/apps/console/browser/words/de/forms.js";
import { reasons } from "../../adapters/apps/console/browser/words/de/purchases.js";
import { units } from "../../adapters/apps/console/browser/words/de/units.js";
import { earningSchema } from "../../src/cards/program-schema.js";
import type { PutPurchase, ReturnPurchase } from "../purchases/till.js";

const german: ReasonTexts = { words: reasons, units, forms: germanForms };

const perEuro = { give: 1, per: { amount: 100 } };

type Program = Partial<NonNullable<CreateTemplate["earning"]>>;

interface Purchase {
  /** Default: 1 point for every 1.00 EUR. */
  readonly program?: Program;
  readonly purchase: Omit<PutPurchase, "currency"> & { readonly currency?: string };
  readonly returned?: Omit<ReturnPurchase, "returnId">;
  readonly terms?: CreateTemplate["points"];
  /** The program after the purchase. Default: the same. */
  readonly laterProgram?: Program;
}

/** Records a purchase by a customer with a point card, and explains it in English and German. */
async function explain({ program = {}, purchase, returned, terms = {}, laterProgram }: Purchase) {
  const now = Date.parse("2026-07-07T15:00:00Z");
  const loyalty = new LoyaltyService({ storage: memoryStorage(), clock: () => now });
  onTestFinished(() => loyalty.close());
  const acme = loyalty.organization("acme");
  await acme.settings.update({ timeZone: "Europe/Vienna" });
  const toEarning = (part: Program) => earningSchema.parse({ currency: "EUR", rules: [perEuro], ...part });
  const template = await acme.templates.create({
    name: "Club",
    type: "LOYALTY_CARD",
    earning: toEarning(program),
    points: terms,
  });
  const { userId } = await acme.passes.create(template.id, { user: { email: "ada@example.com" } });
  await acme.purchases.put("till", "1", { userId, currency: "EUR", ...purchase });
  if (returned !== undefined) await acme.purchases.addReturn("till", "1", { returnId: "r", ...returned });
  if (laterProgram !== undefined)
    await acme.templates.update(template.id, { earning: toEarning(laterProgram) });
  const [stored, { earning, points }] = await Promise.all([
    acme.purchases.get("till", "1"),
    acme.templates.get(template.id),
  ]);
  const [effect] = stored.effects;
  if (effect === undefined) throw new Error("the purchase has no effect");
  const reason = findReason(stored, effect, earning, "Europe/Vienna");
  const kind = { unit: effect.unit, word: points?.unit ?? null };
  const inGerman = describeReason(reason, kind, german).map((text) => text.replaceAll("\u00a0", " "));
  return { en: describeReason(reason, kind), de: inGerman };
}

describe("the explanation of a purchase's points", () => {
  it("names the amount, the rule, and what doesn't count", async () => {
    const sentences = await explain({
      purchase: { lines: [{ amount: 1_250 }, { amount: 490, kind: "shipping" }] },
    });
    expect(sentences).toEqual({
      en: ["12 points: €12.50 of goods, 1 point for every €1.00; shipping doesn’t count"],
      de: ["12 Punkte: 12,50 € für Waren, 1 Punkt je 1,00 €; Versand zählt nicht"],
    });
  });

  it("names the bonus that applied at that time, and what a return took back", async () => {
    const sentences = await explain({
      program: {
        bonuses: [
          {
            percent: 200,
            weekdays: [2],
            between: { from: "14:00", to: "18:00" },
            only: { categories: ["coffee"] },
          },
          { percent: 300, weekdays: [3] },
        ],
      },
      purchase: { lines: [{ amount: 1_000 }, { amount: 500, category: "coffee" }] },
      returned: { lines: [{ id: "0", amount: 300 }] },
    });
    expect(sentences).toEqual({
      en: [
        "17 points: €12.00 of goods, 1 point for every €1.00",
        "Bonus: €5.00 counted 2 times.",
        "3 points fewer, because €3.00 came back.",
      ],
      de: [
        "17 Punkte: 12,00 € für Waren, 1 Punkt je 1,00 €",
        "Bonus: 5,00 € zählen 2-fach.",
        "3 Punkte weniger, weil 3,00 € zurückkamen.",
      ],
    });
  });

  it("names what each of several rules gave, with its conditions", async () => {
    const sentences = await explain({
      program: {
        rules: [
          { give: 3, per: { amount: 700 }, inSteps: true, only: { categories: ["tea", "coffee"] } },
          { give: 5, per: "purchase", minAmount: 5_000 },
          { give: 2, per: "item", only: { notSkus: ["bag"] } },
        ],
      },
      purchase: {
        lines: [
          { amount: 1_500, category: "tea", quantity: 2 },
          { amount: 10, sku: "bag" },
        ],
      },
    });
    expect(sentences).toEqual({
      en: [
        "10 points in all",
        "6 points: €15.00 of goods, 3 points for each full €7.00, only “tea” and “coffee”",
        "0 points: 5 points for the purchase, from €50.00 on",
        "4 points: 2 items, 2 points for each item, except “bag”",
      ],
      de: [
        "10 Punkte insgesamt",
        "6 Punkte: 15,00 € für Waren, 3 Punkte je volle 7,00 €, nur „tea“ und „coffee“",
        "0 Punkte: 5 Punkte für den Einkauf, ab 50,00 €",
        "4 Punkte: 2 Stück, 2 Punkte je Stück, ohne „bag“",
      ],
    });
  });

  it("says that only the best rule counts, and shortens a long list of labels", async () => {
    const { en, de } = await explain({
      program: {
        combine: "best",
        rules: [perEuro, { give: 1, per: "purchase", only: { skus: ["a", "b", "c", "d", "e", "f", "g"] } }],
      },
      purchase: { lines: [{ amount: 400, sku: "g" }] },
    });
    expect([en[0], de[0]]).toEqual([
      "4 points by the rule that gives most",
      "4 Punkte nach der Regel, die am meisten gibt",
    ]);
    expect(en[2]).toBe("1 point: 1 point for the purchase, only “a”, “b”, “c”, “d”, “e”, and 2 others");
  });

  it("names the limit that reduced the points, and uses the shop's own word for points", async () => {
    const perPurchase = await explain({
      program: { limits: { perPurchase: 5, perDay: 100 } },
      purchase: { lines: [{ amount: 1_200 }] },
      terms: { unit: "stars" },
    });
    expect(perPurchase).toEqual({
      en: [
        "5 stars: €12.00 of goods, 1 stars for every €1.00",
        "Without the limit of 5 stars per purchase, it would be 12 stars.",
      ],
      de: [
        "5 stars: 12,00 € für Waren, 1 stars je 1,00 €",
        "Ohne die Grenze von 5 stars je Einkauf wären es 12 stars.",
      ],
    });
    const perDay = await explain({
      program: { limits: { perPurchase: 50, perDay: 10 } },
      purchase: { lines: [{ amount: 1_200 }] },
    });
    expect(perDay.en[1]).toBe("Without the limit of 10 points per day, it would be 12 points.");
  });

  it("names tax and payments with points, which don't count", async () => {
    const { en, de } = await explain({
      program: { counts: { kinds: ["goods"], tax: false } },
      purchase: { lines: [{ amount: 1_200, tax: 200 }], paidWithPoints: 600 },
    });
    expect(en).toEqual([
      "5 points: €5.00 of goods, 1 point for every €1.00",
      "Tax doesn’t count.",
      "€6.00 was paid with points and doesn’t count.",
    ]);
    expect(de.slice(1)).toEqual(["Steuer zählt nicht.", "6,00 € sind mit Punkten bezahlt und zählen nicht."]);
  });

  it("names the card's currency if the purchase has another one", async () => {
    expect(await explain({ purchase: { currency: "USD", lines: [{ amount: 1_200 }] } })).toEqual({
      en: ["0 points: the card counts purchases in EUR, and this one is in USD"],
      de: ["0 Punkte: Die Karte zählt Einkäufe in EUR, und dieser ist in USD"],
    });
  });

  it("doesn't explain a purchase with rules that were set later", async () => {
    const sentences = await explain({
      purchase: { lines: [{ amount: 1_200 }] },
      laterProgram: { rules: [{ give: 2, per: { amount: 100 } }] },
    });
    expect(sentences).toEqual({
      en: ["12 points by the rules that applied when the purchase was recorded"],
      de: ["12 Punkte nach den Regeln, die galten, als der Einkauf erfasst wurde"],
    });
  });

  it("says what a return could not take back", async () => {
    const { en, de } = await explain({
      purchase: { at: "2020-01-01T12:00:00Z", lines: [{ amount: 1_200 }] },
      terms: { expiry: { days: 30 } },
      returned: { all: true },
    });
    expect(en).toEqual([
      "0 points: €0.00 of goods, 1 point for every €1.00",
      "12 points fewer, because €12.00 came back.",
      "12 points couldn’t be taken back: they had already expired or been used.",
    ]);
    expect(de.at(-1)).toBe("Nicht zurückgenommen, weil schon verfallen oder verbraucht: 12 Punkte.");
  });
});
