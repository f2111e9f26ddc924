import fc, { type Arbitrary } from "fast-check";
import type { Earning } from "./earning.js";
import { earnings, inputs, programs, returns } from "./histories.js";
import type { Program, PurchaseInput, ReturnRequest } from "./model.js";

/*
 * Generates histories of a shop, with everything that a host can call. A number identifies a card, modulo the number of
 * cards. The same goes for a purchase to return and an entry to reverse.
 */

/** One call, some time after the previous one. The network delivers it once or more. */
export interface EngineStep {
  readonly wait: Wait;
  readonly call: EngineCall;
  readonly deliveries: number;
  /** Whether it has an idempotency key, so that each delivery has the same response. */
  readonly isKeyed: boolean;
}

/** Milliseconds, or until the next local midnight, or until a millisecond before it. */
export type Wait = number | "midnight" | "before midnight";

export type Naming = "userId" | "walletPassId" | "qrCodeValue";

export type EngineCall = PurchaseCall | CardCall | ShopCall;

export type PurchaseCall =
  | {
      readonly put: PurchaseInput;
      /** How long ago it happened, or `null` if the host doesn't say. It's negative if the host's clock is ahead. */
      readonly agoMs: number | null;
      readonly naming: Naming;
    }
  | { readonly returned: ReturnRequest; readonly receipt: number }
  | { readonly confirm: number }
  /** Repeats a purchase or a return of an earlier call. */
  | { readonly again: number };

export type CardCall =
  | {
      readonly add: number;
      readonly card: number;
      /** By default, the points expire as the template says. */
      readonly expiresInDays: number | null | undefined;
    }
  | { readonly remove: number; readonly card: number; readonly allowsDebt: boolean }
  | { readonly spend: number; readonly card: number }
  | { readonly reverse: number; readonly card: number }
  | { readonly redeem: true; readonly card: number }
  | { readonly addStamps: number; readonly card: number }
  | { readonly takeStamps: number; readonly card: number };

export type ShopCall =
  | { readonly program: Program; readonly templateId: string }
  | { readonly issue: string; readonly templateId: string }
  | { readonly revoke: number }
  | { readonly erase: string; readonly isDeleted: boolean }
  /** Runs the worker. */
  | { readonly work: true };

/** Where and when a history begins. */
export interface Opening {
  readonly timeZone: string;
  readonly start: number;
  readonly program: Program;
  readonly stampEarning: Earning;
  readonly maxStamps: number;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Time zones, and start times shortly before clocks change, or the year. */
const beginnings = [
  { timeZone: "Europe/Vienna", start: Date.parse("2026-03-22T12:00Z") },
  { timeZone: "Europe/Vienna", start: Date.parse("2026-10-18T12:00Z") },
  { timeZone: "Europe/Vienna", start: Date.parse("2026-12-20T12:00Z") },
  { timeZone: "America/New_York", start: Date.parse("2026-03-02T03:00Z") },
  { timeZone: "Australia/Lord_Howe", start: Date.parse("2026-09-28T12:00Z") },
  { timeZone: "Pacific/Apia", start: Date.parse("2011-12-25T12:00Z") },
  { timeZone: "America/Sao_Paulo", start: Date.parse("2018-10-30T12:00Z") },
];

/** Adds a rule for the amount of all goods and shipping. */
function giveMore(earning: Earning): Earning {
  const { rules, counts } = earning;
  const everything = { give: 2, per: { amount: 150 } };
  return { ...earning, rules: [...rules, everything], counts: { ...counts, kinds: ["goods", "shipping"] } };
}

const generous = fc.boolean();

/** Point programs. Half of them have a rule for any purchase. */
const pointPrograms: Arbitrary<Program> = fc
  .tuple(programs, generous)
  .map(([program, isGenerous]) =>
    isGenerous && program.earning !== null ? { ...program, earning: giveMore(program.earning) } : program,
  );

/** Earning of stamp cards. It gives few stamps, so that no purchase fills hundreds of cards. */
const stampEarnings: Arbitrary<Earning> = fc
  .tuple(earnings, generous)
  .map(([earning, isGenerous]) => (isGenerous ? giveMore(earning) : earning))
  .map((earning) => ({
    ...earning,
    rules: earning.rules.map((rule) => {
      const { per } = rule;
      return typeof per === "string" ? rule : { ...rule, per: { amount: per.amount + 600 } };
    }),
  }));

export const openings: Arbitrary<Opening> = fc
  .record({
    beginning: fc.constantFrom(...beginnings),
    program: pointPrograms,
    stampEarning: stampEarnings,
    maxStamps: fc.integer({ min: 1, max: 12 }),
  })
  .map(({ beginning, ...rest }) => ({ ...beginning, ...rest }));

const numbers = fc.nat(50);

/** Numbers of cards, mostly of the first one, which most purchases are for. */
const cards = fc.oneof(fc.constant(0), fc.nat(5));
const counts = fc.integer({ min: 1, max: 40 });
const pointTemplates = fc.constantFrom("points", "points", "extra");

/** Purchases. The one with the key `c` has revisions, and the others rarely do. */
const puts: Arbitrary<PurchaseInput> = fc
  .record({
    input: inputs,
    revision: fc.nat(6),
    isExceptional: fc.constantFrom(true, ...Array.from({ length: 9 }, () => false)),
    note: fc.constantFrom(undefined, undefined, null, "gift"),
  })
  .map(({ input, revision, isExceptional, note }) => ({
    ...input,
    ...((input.key === "c") !== isExceptional && { revision }),
    ...(note !== undefined && { note }),
  }));

const put: Arbitrary<PurchaseCall> = fc.record({
  put: puts,
  agoMs: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(null, null, 0, hourMs) },
    { weight: 1, arbitrary: fc.constantFrom(5 * hourMs, dayMs, 7 * dayMs, 40 * dayMs, -200_000, -400_000) },
  ),
  naming: fc.constantFrom<Naming>("userId", "walletPassId", "qrCodeValue"),
});

const purchaseCalls = [
  { weight: 24, arbitrary: put },
  { weight: 16, arbitrary: fc.record({ returned: returns, receipt: numbers }) },
  { weight: 3, arbitrary: fc.record({ confirm: numbers }) },
  { weight: 6, arbitrary: fc.record({ again: numbers }) },
];

const cardCalls = [
  {
    weight: 4,
    arbitrary: fc.record({
      add: counts,
      card: cards,
      expiresInDays: fc.oneof(fc.constantFrom(null, undefined), fc.nat(30)),
    }),
  },
  { weight: 4, arbitrary: fc.record({ remove: counts, card: cards, allowsDebt: fc.boolean() }) },
  { weight: 12, arbitrary: fc.record({ spend: fc.nat(60), card: cards }) },
  { weight: 8, arbitrary: fc.record({ reverse: numbers, card: cards }) },
  { weight: 3, arbitrary: fc.record({ redeem: fc.constant(true as const), card: cards }) },
  { weight: 2, arbitrary: fc.record({ addStamps: fc.integer({ min: 1, max: 5 }), card: cards }) },
  { weight: 1, arbitrary: fc.record({ takeStamps: fc.integer({ min: 1, max: 5 }), card: cards }) },
];

const changedPrograms: Arbitrary<Program> = fc.oneof(
  { weight: 4, arbitrary: pointPrograms },
  { weight: 1, arbitrary: programs.map(({ points }) => ({ earning: null, points })) },
  fc.constant({ earning: null, points: null }),
);

const shopCalls = [
  { weight: 2, arbitrary: fc.record({ program: changedPrograms, templateId: pointTemplates }) },
  {
    weight: 1,
    arbitrary: fc.record({
      program: fc.option(stampEarnings).map((earning) => ({ earning, points: null })),
      templateId: fc.constant("stamps"),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      issue: fc.constantFrom("ann", "bob"),
      templateId: fc.constantFrom("points", "extra", "stamps"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ revoke: numbers }) },
  { weight: 3, arbitrary: fc.record({ work: fc.constant(true as const) }) },
];

const erasures = {
  weight: 1,
  arbitrary: fc.record({ erase: fc.constantFrom("bob", "bob", "bob", "ann"), isDeleted: fc.boolean() }),
};

const calls: Arbitrary<EngineCall> = fc.oneof(...purchaseCalls, ...cardCalls, ...shopCalls, erasures);

const waits: Arbitrary<Wait> = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(0, 0, 0, 1, hourMs, 5 * hourMs, 30 * hourMs) },
  { weight: 1, arbitrary: fc.constantFrom(12 * dayMs, 31 * dayMs) },
  { weight: 4, arbitrary: fc.constantFrom<Wait>("midnight", "before midnight") },
);

export const engineSteps: Arbitrary<EngineStep[]> = fc.array(
  fc.record({
    wait: waits,
    call: calls,
    deliveries: fc.constantFrom(1, 1, 1, 2, 5),
    isKeyed: fc.boolean(),
  }),
  { maxLength: 80, size: "max" },
);
