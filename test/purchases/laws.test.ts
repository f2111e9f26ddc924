import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../properties/runs.js";
import { findEnd, readLocalTime } from "./calendar.js";
import { countUnits, type Earning, type Line } from "./earning.js";
import {
  bonuses,
  callPurchase,
  earnings,
  expiries,
  inputs,
  lines,
  programs,
  runHistory,
  runLast,
  shops,
  steps,
  tryCall,
} from "./histories.js";
import {
  confirmPurchase,
  findCard,
  type LineInput,
  type Outcome,
  type PurchaseInput,
  putPurchase,
  readPoints,
  returnLines,
  reverseEntry,
  type Shop,
  spendPoints,
} from "./model.js";
import { expireLots, type PointCard } from "./point-card.js";
import { createProgram, createShop, readEffect } from "./some-shop.js";

const noon = Date.UTC(2026, 5, 15, 10);
const wednesday = { day: 20_000, time: 0 };

function toLine(input: LineInput, index: number): Line {
  const filled = { id: `${index}`, sku: null, category: null, kind: "goods" as const, quantity: 1, tax: 0 };
  return { ...filled, ...input, returned: { quantity: 0, amount: 0 } };
}

function toBasket(bought: readonly LineInput[], paidWithPoints = 0) {
  return { currency: "EUR", lines: bought.map(toLine), paidWithPoints };
}

function pointCardsOf(shop: Shop): readonly PointCard[] {
  return shop.cards.flatMap(({ state }) => (state.unit === "points" ? [state] : []));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

/** Returns the cards without their ledgers and without empty lots. */
function readCards(shop: Shop, now: number) {
  return shop.cards.map(({ id, state }) =>
    state.unit === "points"
      ? { ...readPoints(shop, id, now), lots: listOpenLots(expireLots(state, now)) }
      : { full: state.full, current: state.current },
  );
}

function listOpenLots({ lots }: PointCard) {
  return lots.filter(({ left }) => left > 0).map(({ id, left }) => ({ id, left }));
}

function balanceOf(shop: Shop, now: number): number {
  const { available, pending, debt } = readPoints(shop, "ann", now);
  return available + pending - debt;
}

/** Returns what a purchase gave to a card in total, minus what it took back. */
function sumOfPurchase(shop: Shop, key: string, cardId: string): number {
  const { state } = findCard(shop, cardId);
  return state.unit === "points"
    ? sum(state.entries.filter(({ purchase }) => purchase === key).map(({ points }) => points))
    : sum(state.entries.map(({ delta }) => delta));
}

describe("units of a purchase", () => {
  it("are the exact sum of its lines, rounded down once", () => {
    const rule = fc.record({
      give: fc.integer({ min: 1, max: 50 }),
      amount: fc.integer({ min: 1, max: 5_000 }),
    });
    fc.assert(
      fc.property(rule, lines, ({ give, amount }, bought) => {
        const earning: Earning = { currency: "EUR", rules: [{ give, per: { amount } }] };
        const total = sum(bought.filter(({ kind }) => kind === "goods").map((line) => line.amount));
        expect(countUnits(earning, toBasket(bought), wednesday)).toBe(BigInt(total * give) / BigInt(amount));
      }),
      runs(40),
    );
  });

  it("don't depend on the order of the lines", () => {
    fc.assert(
      fc.property(earnings, lines, fc.nat(300), (earning, bought, paid) => {
        const total = sum(bought.map(({ amount }) => amount));
        const [basket, turned] = [bought, bought.toReversed()].map((some) =>
          toBasket(some, Math.min(paid, total)),
        );
        if (basket === undefined || turned === undefined) return;
        expect(countUnits(earning, turned, wednesday)).toBe(countUnits(earning, basket, wednesday));
      }),
      runs(40),
    );
  });

  it("don't change when a line is split into two", () => {
    fc.assert(
      fc.property(earnings, lines, (earning, bought) => {
        const halves = bought.flatMap((line) => {
          const { amount, quantity = 1, tax = 0 } = line;
          const half = { ...line, amount: amount / 2, quantity: quantity / 2, tax: tax / 2 };
          return [amount, quantity, tax].every((one) => one % 2 === 0) ? [half, half] : [line];
        });
        expect(countUnits(earning, toBasket(halves), wednesday)).toBe(
          countUnits(earning, toBasket(bought), wednesday),
        );
      }),
      runs(40),
    );
  });

  it("are never more with the best rule than with all rules, nor in steps than without steps", () => {
    fc.assert(
      fc.property(earnings, lines, (earning, bought) => {
        const count = (change: Partial<Earning>) =>
          countUnits({ ...earning, ...change }, toBasket(bought), wednesday);
        const withSteps = (inSteps: boolean) => earning.rules.map((rule) => ({ ...rule, inSteps }));
        expect(count({ combine: "best" })).toBeLessThanOrEqual(count({ combine: "sum" }));
        expect(count({ rules: withSteps(true) })).toBeLessThanOrEqual(count({ rules: withSteps(false) }));
      }),
      runs(40),
    );
  });

  it("get only the largest bonus, since bonuses never multiply", () => {
    fc.assert(
      fc.property(earnings, bonuses, lines, (earning, { percent }, bought) => {
        const count = (percents: readonly number[]) =>
          countUnits(
            { ...earning, bonuses: percents.map((one) => ({ percent: one })) },
            toBasket(bought),
            wednesday,
          );
        expect(count([percent, 101, percent])).toBe(count([percent]));
        expect(count([percent])).toBeGreaterThanOrEqual(count([]));
      }),
      runs(40),
    );
  });

  it("stay within the limits, and the excess is cut", () => {
    fc.assert(
      fc.property(programs, inputs, (program, input) => {
        const outcome = tryCall(() => putPurchase(createShop(program), { ...input, customer: "ann" }, noon));
        if (outcome === null || program.earning === null) return;
        const { limits } = program.earning;
        const { units, cut } = readEffect(outcome.shop, input.key, "ann");
        expect(units).toBeLessThanOrEqual(Math.min(limits?.perPurchase ?? units, limits?.perDay ?? units));
        const at = readLocalTime("Europe/Vienna", noon);
        expect(BigInt(units) + cut).toBe(countUnits(program.earning, outcome.purchase, at));
      }),
      runs(40),
    );
  });

  it("of a day's purchases are at most the day's limit if no purchase grows", () => {
    fc.assert(
      fc.property(
        programs,
        fc.array(lines, { maxLength: 6 }),
        fc.nat(50),
        ({ earning, points }, baskets, perDay) => {
          if (earning === null) return;
          const shop = createShop({ earning: { ...earning, limits: { perDay } }, points });
          const put = (before: Shop, bought: readonly LineInput[], index: number) =>
            putPurchase(before, { key: `${index}`, customer: "ann", currency: "EUR", lines: bought }, noon)
              .shop;
          const after = baskets.reduce(put, shop);
          expect(
            sum(baskets.map((_, index) => readEffect(after, `${index}`, "ann").units)),
          ).toBeLessThanOrEqual(perDay);
        },
      ),
      runs(40),
    );
  });
});

describe("after any history", () => {
  const expectAlways = (check: (shop: Shop, now: number) => void) =>
    fc.assert(
      fc.property(shops, steps, (shop, history) => {
        const moment = runLast(shop, history);
        check(moment.shop, moment.now);
      }),
      runs(40),
    );

  it("the balance of a card is the sum of its ledger", () => {
    expectAlways((shop, now) => {
      for (const { id, state } of shop.cards) {
        if (state.unit !== "points") continue;
        const { available, held, pending, debt } = readPoints(shop, id, now);
        const { entries } = expireLots(state, now);
        expect(available + held + pending - debt).toBe(sum(entries.map(({ points }) => points)));
        expect(debt).toBe(sum(entries.map((entry) => entry.debt)));
      }
    });
  });

  it("the lots of a card add up to its available and pending points", () => {
    expectAlways((shop, now) => {
      for (const { id, state } of shop.cards) {
        if (state.unit !== "points") continue;
        const { available, pending } = readPoints(shop, id, now);
        expect(sum(expireLots(state, now).lots.map(({ left }) => left))).toBe(available + pending);
      }
    });
  });

  it("what is left of each lot is the sum of its ledger parts, from 0 to what it got", () => {
    expectAlways((shop) => {
      for (const { lots, entries } of pointCardsOf(shop))
        for (const { id, got, left } of lots) {
          const parts = entries.flatMap((entry) => entry.lots.filter(({ lotId }) => lotId === id));
          expect(sum(parts.map(({ points }) => points))).toBe(left);
          expect(left).toBeGreaterThanOrEqual(0);
          expect(left).toBeLessThanOrEqual(got);
        }
    });
  });

  it("a card with debt has no points", () => {
    expectAlways((shop, now) => {
      for (const { id, state } of shop.cards) {
        if (state.unit !== "points" || state.debt === 0) continue;
        expect(state.debt).toBeGreaterThan(0);
        expect(readPoints(shop, id, now)).toMatchObject({ available: 0, pending: 0 });
      }
    });
  });

  it("an entry moves points, and its lots and its debt account for all of them", () => {
    expectAlways((shop) => {
      for (const { entries } of pointCardsOf(shop))
        for (const { points, debt, lots } of entries) {
          expect(points).not.toBe(0);
          expect(points + debt).toBe(sum(lots.map((part) => part.points)));
        }
    });
  });

  it("expiry takes exactly what is left of a lot", () => {
    expectAlways((shop, now) => {
      for (const card of pointCardsOf(shop)) {
        const { entries } = expireLots(card, now);
        const leftAfter = (lotId: number, count: number) =>
          sum(
            entries
              .slice(0, count)
              .flatMap(({ lots }) => lots.filter((part) => part.lotId === lotId))
              .map(({ points }) => points),
          );
        const ended = entries.flatMap(({ type, lots }, index) =>
          type === "expired" ? lots.map(({ lotId }) => leftAfter(lotId, index + 1)) : [],
        );
        expect(ended.filter((left) => left !== 0)).toEqual([]);
      }
    });
  });

  it("a purchase has given a card its current units, plus the units that weren't taken back", () => {
    expectAlways((shop) => {
      for (const { key, effects } of shop.purchases)
        for (const { cardId, units, notTaken } of effects) {
          if (findCard(shop, cardId).state.unit === "points")
            expect(sumOfPurchase(shop, key, cardId)).toBe(units + notTaken);
          expect(notTaken).toBeGreaterThanOrEqual(0);
        }
      const given = shop.purchases.flatMap(({ effects }) =>
        effects.filter(({ cardId }) => cardId === "stamps").map(({ units, notTaken }) => units + notTaken),
      );
      expect(sumOfPurchase(shop, "", "stamps")).toBe(sum(given));
    });
  });

  it("stamps and rewards follow from the stamp entries, and are never below zero", () => {
    expectAlways((shop) => {
      const { state } = findCard(shop, "stamps");
      if (state.unit !== "stamps") return;
      const { entries, maxStamps, current, full } = state;
      const completed = sum(entries.map(({ completions }) => completions));
      const redeemed = entries.filter(({ type }) => type === "redeemed").length;
      expect(current).toBe(sum(entries.map(({ delta }) => delta)) - maxStamps * completed);
      expect(full).toBe(completed - redeemed);
      expect(Math.min(current, full)).toBeGreaterThanOrEqual(0);
      expect(current).toBeLessThan(maxStamps);
    });
  });

  it("the ledger only grows", () => {
    fc.assert(
      fc.property(shops, steps, (shop, history) => {
        const ledgers = runHistory(shop, history).map((moment) =>
          moment.shop.cards.map(({ state }) => state.entries),
        );
        for (const [index, after] of ledgers.slice(1).entries())
          for (const [card, entries] of (ledgers[index] ?? []).entries())
            expect(after[card]?.slice(0, entries.length)).toEqual(entries);
      }),
      runs(40),
    );
  });

  it("a card reads the same whether or not a worker wrote its earlier expiries", () => {
    fc.assert(
      fc.property(shops, steps, fc.array(fc.nat(60)), (shop, history, days) => {
        const { shop: after, now } = runLast(shop, history);
        const last = now + 61 * 86_400_000;
        for (const card of pointCardsOf(after)) {
          const visits = days.toSorted((a, b) => a - b).map((day) => now + day * 86_400_000);
          expect(expireLots(visits.reduce(expireLots, card), last)).toEqual(expireLots(card, last));
        }
      }),
      runs(40),
    );
  });
});

describe("a call for a purchase", () => {
  it("changes nothing when it's delivered again", () => {
    fc.assert(
      fc.property(shops, steps, (shop, history) => {
        const moments = runHistory(shop, history);
        for (const [index, { call }] of history.entries()) {
          const { now } = moments[index + 1] ?? {};
          const before = moments[index]?.shop;
          if (now === undefined || before === undefined) continue;
          const first = tryCall(() => callPurchase(before, call, now));
          if (first === null) continue;
          const second = callPurchase(first.shop, call, now);
          expect(second).toEqual({ ...first, isApplied: false, changes: [] });
        }
      }),
      runs(40),
    );
  });

  it("with revisions ends in the newest state, whatever the order and the number of deliveries", () => {
    const deliveries = fc.array(fc.nat(4), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(
        programs,
        fc.array(lines, { minLength: 5, maxLength: 5 }),
        deliveries,
        (program, baskets, order) => {
          const shop = createShop({ ...program, points: { expiry: null } });
          const put = (before: Shop, revision: number) => {
            const input = {
              key: "a",
              customer: "ann",
              currency: "EUR",
              lines: baskets[revision] ?? [],
              revision,
            };
            return putPurchase(before, { ...input, at: noon }, noon).shop;
          };
          const newest = put(shop, Math.max(...order));
          const after = order.reduce(put, shop);
          expect(readPoints(after, "ann", noon)).toEqual(readPoints(newest, "ann", noon));
          expect(readEffect(after, "a", "ann")).toEqual(readEffect(newest, "a", "ann"));
        },
      ),
      runs(40),
    );
  });
});

describe("a return", () => {
  /** Runs the history, and then records one more purchase of Ann's. */
  const putAfter = (shop: Shop, history: Parameters<typeof runLast>[1], input: PurchaseInput) => {
    const { shop: before, now } = runLast(shop, history);
    const put = { ...input, key: "new", customer: "ann", paidWithPoints: 0 };
    return { before, now, outcome: putPurchase(before, put, now) };
  };

  /** Returns parts of lines one after another. */
  const returnParts = (start: Outcome, parts: readonly { id: string; amount: number }[], now: number) =>
    parts.reduce(
      ({ shop }, { id, amount }, index) =>
        returnLines(shop, "new", { returnId: `${index}`, lines: [{ id, amount }] }, now),
      start,
    );

  const shares = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 6 });

  /** Splits a part of the first line's amount in these proportions. */
  const splitFirstLine = ({ lines: [line] }: PurchaseInput, weights: readonly number[]) =>
    weights.map((weight) => ({ id: "0", amount: Math.floor(((line?.amount ?? 0) * weight) / 600) }));

  const days = fc.constantFrom(0, 9, 100);

  it("takes the same units in parts, in any order, as in one return of the sum", () => {
    fc.assert(
      fc.property(shops, steps, inputs, shares, days, (shop, history, input, weights, daysLater) => {
        const { outcome, now } = putAfter(shop, history, input);
        const { units } = readEffect(outcome.shop, "new", "ann");
        const spent = tryCall(() => spendPoints(outcome.shop, "ann", Math.ceil(units / 2), now));
        const start = { ...outcome, shop: spent ?? outcome.shop };
        const later = now + daysLater * 86_400_000;
        const parts = splitFirstLine(input, weights);
        const whole = [{ id: "0", amount: sum(parts.map(({ amount }) => amount)) }];
        const [split, turned, once] = [parts, parts.toReversed(), whole].map((some) => {
          const { shop: after } = returnParts(start, some, later);
          return { cards: readCards(after, later), effect: readEffect(after, "new", "ann") };
        });
        expect(split).toEqual(once);
        expect(turned).toEqual(once);
      }),
      runs(60),
    );
  });

  it("takes exactly as much as putting the purchase with the smaller amount", () => {
    fc.assert(
      fc.property(shops, steps, inputs, shares, (shop, history, input, weights) => {
        const untaxed = { ...input, lines: input.lines.map((line) => ({ ...line, tax: 0 })) };
        const { outcome, now } = putAfter(shop, history, untaxed);
        const parts = splitFirstLine(untaxed, weights);
        const returned = returnParts(outcome, parts, now).shop;
        const [first, ...rest] = untaxed.lines;
        if (first === undefined) return;
        const remaining = first.amount - sum(parts.map(({ amount }) => amount));
        const smaller = { ...untaxed, key: "new", customer: "ann", paidWithPoints: 0 };
        const put = putPurchase(
          outcome.shop,
          { ...smaller, lines: [{ ...first, amount: remaining }, ...rest] },
          now,
        );
        expect(readCards(put.shop, now)).toEqual(readCards(returned, now));
      }),
      runs(40),
    );
  });

  it("of everything leaves each card as if the purchase had never been made", () => {
    fc.assert(
      fc.property(shops, steps, inputs, (shop, history, input) => {
        const { before, outcome, now } = putAfter(shop, history, input);
        const { shop: after } = returnLines(outcome.shop, "new", { returnId: "1", all: true }, now);
        expect(readCards(after, now)).toEqual(readCards(before, now));
      }),
      runs(40),
    );
  });

  it("of everything takes exactly what was given, even if points were spent in the meantime", () => {
    fc.assert(
      fc.property(shops, steps, (shop, history) => {
        const { earning } = shop.programs.points ?? {};
        if (earning === null || earning === undefined) return;
        const lasting = createProgram({ ...earning, onReturn: "debt" }, { expiry: null });
        const programsThatLast = { ...shop.programs, points: lasting };
        const { shop: after, now } = runLast({ ...shop, programs: programsThatLast }, history);
        const returned = after.purchases.reduce(
          (rest, { key }) => returnLines(rest, key, { returnId: "last", all: true }, now).shop,
          after,
        );
        for (const { key } of returned.purchases) {
          expect(sumOfPurchase(returned, key, "ann")).toBe(0);
          expect(sumOfPurchase(returned, key, "bob")).toBe(0);
        }
      }),
      runs(40),
    );
  });

  it("never gives units", () => {
    fc.assert(
      fc.property(shops, steps, inputs, shares, (shop, history, input, weights) => {
        const { outcome, now } = putAfter(shop, history, input);
        const { changes } = returnParts(outcome, splitFirstLine(input, weights), now);
        expect(changes.filter(({ units }) => units >= 0)).toEqual([]);
      }),
      runs(40),
    );
  });

  it("that undoes growth leaves the card as it was before the growth", () => {
    fc.assert(
      fc.property(shops, steps, inputs, lines, (shop, history, input, more) => {
        const { outcome, now } = putAfter(shop, history, input);
        const put = { ...input, key: "new", customer: "ann", paidWithPoints: 0, at: outcome.purchase.at };
        const grown = [...input.lines, ...more];
        const after = [grown, input.lines].reduce(
          (rest, some) => putPurchase(rest, { ...put, lines: some }, now).shop,
          outcome.shop,
        );
        expect(readCards(after, now)).toEqual(readCards(outcome.shop, now));
      }),
      runs(40),
    );
  });

  it("doesn't charge spent points twice: once the spend is reversed, nothing is owed", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), fc.nat(), (earned, part) => {
        const shop = createShop(createProgram({ rules: [{ give: 1, per: { amount: 1 } }] }));
        const input = { key: "a", customer: "ann", currency: "EUR", lines: [{ amount: earned }] };
        const bought = putPurchase(shop, input, noon).shop;
        const spent = (part % earned) + 1;
        const returned = returnLines(
          spendPoints(bought, "ann", spent, noon),
          "a",
          { returnId: "1", all: true },
          noon,
        ).shop;
        expect(readPoints(returned, "ann", noon)).toMatchObject({ available: 0, debt: spent });
        expect(readPoints(reverseEntry(returned, "ann", 2, noon), "ann", noon)).toEqual(
          readPoints(shop, "ann", noon),
        );
      }),
      runs(40),
    );
  });
});

describe("a purchase that is moved to another customer", () => {
  it("leaves the first card as it was, and gives the second what it would have had from the start", () => {
    fc.assert(
      fc.property(programs, inputs, (program, input) => {
        const shop = createShop(program);
        const put = (before: Shop, customer: string) =>
          putPurchase(before, { ...input, customer, paidWithPoints: 0 }, noon).shop;
        const moved = put(put(shop, "ann"), "bob");
        expect(readCards(moved, noon)).toEqual(readCards(put(shop, "bob"), noon));
      }),
      runs(40),
    );
  });
});

describe("spending", () => {
  it("takes the lot that expires first, then the oldest", () => {
    fc.assert(
      fc.property(shops, steps, fc.integer({ min: 1, max: 30 }), (shop, history, points) => {
        const { shop: before, now } = runLast(shop, history);
        const spent = tryCall(() => spendPoints(before, "ann", points, now));
        if (spent === null) return;
        const { state } = findCard(spent, "ann");
        const entry = state.entries.at(-1);
        if (state.unit !== "points" || entry === undefined || !("lots" in entry)) return;
        const places = new Map(entry.lots.map(({ lotId }, index) => [lotId, index]));
        const usable = state.lots.filter(({ usableFrom }) => usableFrom <= now);
        const touched = usable
          .filter(({ id }) => places.has(id))
          .sort((a, b) => (places.get(a.id) ?? 0) - (places.get(b.id) ?? 0));
        const untouched = usable.filter(({ id, left }) => !places.has(id) && left > 0);
        const order = touched.map(({ id, expiresAt, graceUntil }) => [
          graceUntil ?? expiresAt ?? Infinity,
          id,
        ]);
        expect(order).toEqual(order.toSorted(([a = 0, b = 0], [c = 0, d = 0]) => (a === c ? b - d : a - c)));
        expect(touched.slice(0, -1).filter(({ left }) => left > 0)).toEqual([]);
        const [lastEnd = 0, lastId = 0] = order.at(-1) ?? [];
        for (const { id, expiresAt, graceUntil } of untouched) {
          const end = graceUntil ?? expiresAt ?? Infinity;
          expect(end > lastEnd || (end === lastEnd && id > lastId)).toBe(true);
        }
      }),
      runs(40),
    );
  });

  it("leaves the card as it was when it's reversed immediately", () => {
    fc.assert(
      fc.property(shops, steps, fc.integer({ min: 1, max: 30 }), (shop, history, points) => {
        const { shop: before, now } = runLast(shop, history);
        const spent = tryCall(() => spendPoints(before, "ann", points, now));
        if (spent === null) return;
        const reversed = reverseEntry(spent, "ann", findCard(spent, "ann").state.entries.length, now);
        expect(readCards(reversed, now)).toEqual(readCards(before, now));
      }),
      runs(40),
    );
  });

  it("is refused if it exceeds the available points, and otherwise lowers the balance by its points", () => {
    fc.assert(
      fc.property(shops, steps, fc.integer({ min: 1, max: 60 }), (shop, history, points) => {
        const { shop: before, now } = runLast(shop, history);
        const spent = tryCall(() => spendPoints(before, "ann", points, now));
        expect(spent === null).toBe(points > readPoints(before, "ann", now).available);
        if (spent !== null) expect(balanceOf(spent, now)).toBe(balanceOf(before, now) - points);
      }),
      runs(40),
    );
  });
});

describe("the expiry of points", () => {
  const zones = fc.constantFrom("Europe/Vienna", "America/New_York", "Pacific/Auckland", "UTC");
  const times = fc.integer({ min: Date.UTC(2023, 0), max: Date.UTC(2032, 0) });

  it("is a local midnight after the purchase, and skips no month", () => {
    fc.assert(
      fc.property(zones, times, expiries, (zone, at, expiry) => {
        const end = findEnd({ expiry }, zone, at);
        if (end === null) throw new Error("points have an end");
        expect(end).toBeGreaterThan(at);
        expect(readLocalTime(zone, end).time).toBe(0);
        const [first, last] = [at, end - 1].map((time) => readDate(zone, time));
        if (first === undefined || last === undefined) return;
        const months = (last.year - first.year) * 12 + last.month - first.month;
        if ("days" in expiry) expect(last.day - first.day).toBe(expiry.days);
        else if (expiry.to === "year") expect([last.month, last.date]).toEqual([11, 31]);
        else expect(months).toBe(expiry.months);
        if ("days" in expiry || expiry.to !== "day") return;
        expect(last.date).toBeLessThanOrEqual(first.date);
        if (last.date !== first.date) expect(readDate(zone, end).date).toBe(1);
      }),
      runs(200),
    );
  });

  const readDate = (zone: string, at: number) => {
    const { day } = readLocalTime(zone, at);
    const date = new Date(day * 86_400_000);
    return { day, year: date.getUTCFullYear(), month: date.getUTCMonth(), date: date.getUTCDate() };
  };
});

describe("confirming a purchase", () => {
  it("makes its pending points usable, and changes no balance", () => {
    fc.assert(
      fc.property(shops, steps, (shop, history) => {
        const { shop: before, now } = runLast(shop, history);
        for (const { key } of before.purchases) {
          const { shop: after } = confirmPurchase(before, key, now);
          const { state } = findCard(after, "ann");
          if (state.unit !== "points") continue;
          const pending = state.lots.filter(
            ({ purchase, usableFrom }) => purchase === key && usableFrom > now,
          );
          expect(pending).toEqual([]);
          expect(balanceOf(after, now)).toBe(balanceOf(before, now));
        }
      }),
      runs(40),
    );
  });
});
