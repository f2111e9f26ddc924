import type { Bonus, Earning, EarningRule, LineKind } from "../../../../../src/cards/program-schema.js";
import { countUnits } from "../../../../../src/purchases/earning.js";
import { readLocalTime } from "../../../../../src/purchases/local-time.js";
import type { Purchase, PurchaseEffect } from "../../../../../src/purchases/schema.js";

/** The reason for the points or stamps that a card got from a purchase. Amounts are in minor units. */
export interface Reason {
  readonly effect: PurchaseEffect;
  readonly purchase: Purchase;
  /** The card's program today, or `null` if the user may not read it or it no longer earns. */
  readonly earning: Earning | null;
  /**
   * How the rules count the purchase, or `null` if that isn't known. A purchase keeps the rules under which it first named its
   * customer, but only today's can be read. They are the reason if they lead to the same result.
   */
  readonly calculation: Calculation | null;
}

/** How a card's program counts a purchase. */
export interface Calculation {
  readonly earning: Earning;
  readonly rules: readonly RuleResult[];
  /** The bonuses that changed the result, largest first. */
  readonly bonuses: readonly BonusResult[];
  /** The kinds of the lines that counted. If no line did, the kinds that count. */
  readonly countedKinds: readonly LineKind[];
  readonly uncountedKinds: readonly LineKind[];
  /** Number of units less than before the returns, without limits. */
  readonly returnedUnits: number;
}

/** The amount and items that a rule matched, and the units that it gave. */
export interface RuleResult extends Matched {
  readonly rule: EarningRule;
  readonly units: number;
}

interface BonusResult extends Matched {
  readonly percent: number;
}

/** The counted rest of the lines that a rule or a bonus matched, after returns. */
interface Matched {
  readonly amount: number;
  readonly items: number;
}

/**
 * Finds out why a purchase has an effect.
 * @param earning the card's program, or `null` if it isn't known.
 */
export function findReason(
  purchase: Purchase,
  effect: PurchaseEffect,
  earning: Earning | null,
  timeZone: string,
): Reason {
  const reason = { effect, purchase, earning, calculation: null };
  if (earning === null || effect.because !== null) return reason;
  const at = readLocalTime(timeZone, Date.parse(purchase.at));
  const count = (program: Partial<Earning>) => countUnits({ ...earning, ...program }, purchase, at);
  const units = count({});
  if (units !== BigInt(effect.units) + BigInt(effect.cut)) return reason;
  const asBought = purchase.lines.map((line) => ({ ...line, returned: { quantity: 0, amount: 0 } }));

  const countMatches = (per: EarningRule["per"], rule: Partial<EarningRule>, bonuses: readonly Bonus[]) =>
    Number(
      count({ rules: [{ ...rule, give: 1, per, minAmount: 0, inSteps: false }], bonuses: [...bonuses] }),
    );
  const rules = earning.rules.map((rule) => ({
    rule,
    units: Number(count({ rules: [rule] })),
    amount: countMatches({ amount: 1 }, rule, []),
    items: countMatches("item", rule, []),
  }));

  const hasBonus = units !== count({ bonuses: [] });
  const largestFirst = hasBonus ? earning.bonuses.toSorted((one, other) => other.percent - one.percent) : [];
  // With bonuses of 200 %, matching lines count double. The difference is the amount that they match.
  const doubled = largestFirst.map((bonus) => ({ ...bonus, percent: 200 }));
  const countDoubled = (per: EarningRule["per"], end: number) =>
    countMatches(per, {}, doubled.slice(0, end)) - countMatches(per, {}, []);
  const bonuses = largestFirst.map(({ percent }, index) => ({
    percent,
    amount: countDoubled({ amount: 1 }, index + 1) - countDoubled({ amount: 1 }, index),
    items: countDoubled("item", index + 1) - countDoubled("item", index),
  }));

  const kinds = [...new Set(purchase.lines.map(({ kind }) => kind))];
  const countedKinds = kinds.filter((kind) => earning.counts.kinds.includes(kind));
  return {
    ...reason,
    calculation: {
      earning,
      rules,
      bonuses: bonuses.filter(({ amount, items }) => amount > 0 || items > 0),
      countedKinds: countedKinds.length === 0 ? earning.counts.kinds : countedKinds,
      uncountedKinds: kinds.filter((kind) => !countedKinds.includes(kind)),
      returnedUnits: Number(countUnits(earning, { ...purchase, lines: asBought }, at) - units),
    },
  };
}
