import type {
  Bonus,
  Earning,
  EarningRule,
  PointTerms,
  Program,
} from "../../../../../../src/cards/program-schema.js";
import type { Template } from "../../../../../../src/cards/schema.js";
import { CallError } from "../../api/call-error.js";
import { errors as words } from "../../words/en/card-program.js";
import { convertAmount, findDecimals, formatAmount, parseAmount } from "./amount-text.js";

/** A rule in the editor. Numbers and amounts are strings, as the user typed them. */
export interface RuleDraft extends Omit<EarningRule, "give" | "per" | "minAmount"> {
  /** Identifies the rule on the screen, while others are added and removed. */
  readonly id: number;
  readonly give: string;
  readonly basis: "amount" | "purchase" | "item";
  /** The amount for which the rule gives units, if that is its basis. */
  readonly amount: string;
  /** Empty if the rule has no minimum. */
  readonly minAmount: string;
}

/** A bonus in the editor. Dates and times are empty strings if the bonus doesn't depend on them. */
export interface BonusDraft extends Omit<Bonus, "percent" | "from" | "to" | "between"> {
  /** Identifies the bonus on the screen, while others are added and removed. */
  readonly id: number;
  readonly percent: string;
  /** Whether the user types the percentage, rather than choosing from common ones. */
  readonly isTyped: boolean;
  readonly from: string;
  readonly to: string;
  readonly fromTime: string;
  readonly toTime: string;
}

/** Earning rules in the editor. An empty limit means that there is none. */
export interface EarningDraft extends Omit<Earning, "rules" | "bonuses" | "limits"> {
  readonly rules: readonly RuleDraft[];
  readonly bonuses: readonly BonusDraft[];
  readonly limits: Omit<Earning["limits"], "perPurchase" | "perDay"> & {
    readonly perPurchase: string;
    readonly perDay: string;
  };
}

export type ExpiryKind = "never" | "days" | "day" | "month" | "year";

/** The terms of a card's points in the editor. */
export interface PointsDraft {
  /** Empty for the language's own word. */
  readonly unit: string;
  readonly pendingDays: string;
  /** Whether points expire after days, or at the end of the day, month or year that is some months later. */
  readonly expiry: ExpiryKind;
  /** The number of days or months after which points expire. */
  readonly expiresAfter: string;
  readonly graceDays: string;
}

/** A template's program in the editor. */
export interface ProgramDraft {
  readonly earning: EarningDraft | null;
  readonly points: PointsDraft | null;
}

/** The percentages that the user can choose without typing a number. */
export const commonPercents = ["150", "200", "300"] as const;

let newestId = 0;
const createId = () => {
  newestId += 1;
  return newestId;
};

/** Returns an editable copy of a template's program. */
export function toProgramDraft({ earning, points }: Program): ProgramDraft {
  return {
    earning: earning === null ? null : toEarningDraft(earning),
    points: points === null ? null : toPointsDraft(points),
  };
}

function toEarningDraft(earning: Earning): EarningDraft {
  const decimals = findDecimals(earning.currency);
  const { perPurchase, perDay, ...otherLimits } = earning.limits;
  return {
    ...earning,
    rules: earning.rules.map((rule) => toRuleDraft(rule, decimals)),
    bonuses: earning.bonuses.map(toBonusDraft),
    limits: { ...otherLimits, perPurchase: toText(perPurchase), perDay: toText(perDay) },
  };
}

function toRuleDraft({ give, per, minAmount, ...rule }: EarningRule, decimals: number): RuleDraft {
  const isPerAmount = typeof per !== "string";
  return {
    ...rule,
    id: createId(),
    give: String(give),
    basis: isPerAmount ? "amount" : per,
    amount: formatAmount(isPerAmount ? per.amount : 10 ** decimals, decimals),
    minAmount: minAmount === 0 ? "" : formatAmount(minAmount, decimals),
  };
}

function toBonusDraft({ percent, from = "", to = "", between, ...bonus }: Bonus): BonusDraft {
  return {
    ...bonus,
    id: createId(),
    percent: String(percent),
    isTyped: !commonPercents.some((common) => common === String(percent)),
    from,
    to,
    fromTime: between?.from ?? "",
    toTime: between?.to ?? "",
  };
}

function toPointsDraft({ unit, pendingDays, expiry, graceDays }: PointTerms): PointsDraft {
  return {
    unit: unit ?? "",
    pendingDays: String(pendingDays),
    ...toExpiryDraft(expiry ?? null),
    graceDays: String(graceDays),
  };
}

function toExpiryDraft(expiry: PointTerms["expiry"] | null): Pick<PointsDraft, "expiry" | "expiresAfter"> {
  if (!expiry) return { expiry: "never", expiresAfter: "12" };
  if ("days" in expiry) return { expiry: "days", expiresAfter: String(expiry.days) };
  return { expiry: expiry.to, expiresAfter: String(expiry.months) };
}

const toText = (value: number | undefined) => (value === undefined ? "" : String(value));

/** Returns the rules that a card gets when its owner turns earning on: one point for each euro, or one stamp for each purchase. */
export function createEarningDraft(type: Template["type"], currency: string): EarningDraft {
  return {
    currency,
    rules: [{ ...createRuleDraft(currency), basis: type === "STAMP_CARD" ? "purchase" : "amount" }],
    combine: "sum",
    bonuses: [],
    counts: { kinds: ["goods"], tax: true, paidWithPoints: false },
    limits: { perPurchase: "", perDay: "" },
    onReturn: "debt",
  };
}

export function createRuleDraft(currency: string): RuleDraft {
  const decimals = findDecimals(currency);
  return toRuleDraft({ give: 1, per: { amount: 10 ** decimals }, minAmount: 0 }, decimals);
}

export const createBonusDraft = (): BonusDraft => toBonusDraft({ percent: 200 });

export const createPointsDraft = (): PointsDraft =>
  toPointsDraft({ unit: null, pendingDays: 0, expiry: null, graceDays: 0 });

/** Changes the currency. Amounts keep their value, so that "1.00" becomes "1" in a currency without decimals. */
export function changeCurrency(earning: EarningDraft, currency: string): EarningDraft {
  const convert = (text: string) =>
    convertAmount(text, findDecimals(earning.currency), findDecimals(currency));
  return {
    ...earning,
    currency,
    rules: earning.rules.map((rule) => ({
      ...rule,
      amount: convert(rule.amount),
      minAmount: convert(rule.minAmount),
    })),
  };
}

/** Converts a draft without {@link findDraftErrors} to the program that the API expects. */
export function fromProgramDraft({ earning, points }: ProgramDraft): Program {
  return {
    earning: earning === null ? null : fromEarningDraft(earning),
    points: points === null ? null : fromPointsDraft(points),
  };
}

export function fromEarningDraft(earning: EarningDraft): Earning {
  const decimals = findDecimals(earning.currency);
  const { perPurchase, perDay, ...otherLimits } = earning.limits;
  return {
    ...earning,
    rules: earning.rules.map((rule) => fromRuleDraft(rule, decimals)),
    bonuses: earning.bonuses.map(fromBonusDraft),
    limits: {
      ...otherLimits,
      ...(!isBlank(perPurchase) && { perPurchase: Number(perPurchase) }),
      ...(!isBlank(perDay) && { perDay: Number(perDay) }),
    },
  };
}

function fromRuleDraft(draft: RuleDraft, decimals: number): EarningRule {
  const { id: _, give, basis, amount, only, minAmount, inSteps, ...rule } = draft;
  return {
    ...rule,
    ...(only !== undefined && { only }),
    ...(inSteps !== undefined && { inSteps }),
    give: Number(give),
    per: basis === "amount" ? { amount: parseAmount(amount, decimals) } : basis,
    minAmount: isBlank(minAmount) ? 0 : parseAmount(minAmount, decimals),
  };
}

function fromBonusDraft(draft: BonusDraft): Bonus {
  const { id: _, isTyped: __, percent, only, from, to, weekdays, fromTime, toTime, ...bonus } = draft;
  return {
    ...bonus,
    ...(only !== undefined && { only }),
    ...(weekdays !== undefined && { weekdays }),
    percent: Number(percent),
    ...(from !== "" && { from }),
    ...(to !== "" && { to }),
    ...((fromTime !== "" || toTime !== "") && { between: { from: fromTime, to: toTime } }),
  };
}

function fromPointsDraft({ unit, pendingDays, expiry, expiresAfter, graceDays }: PointsDraft): PointTerms {
  return {
    unit: isBlank(unit) ? null : unit,
    pendingDays: Number(pendingDays),
    expiry: fromExpiryDraft(expiry, Number(expiresAfter)),
    graceDays: Number(graceDays),
  };
}

function fromExpiryDraft(kind: ExpiryKind, count: number): PointTerms["expiry"] {
  if (kind === "never") return null;
  return kind === "days" ? { days: count } : { months: count, to: kind };
}

const isBlank = (text: string) => text.trim() === "";

const isCount = (text: string) => /^\d{1,15}$/.test(text.trim());

/** Returns error messages for missing or invalid numbers, keyed by the field's path in the API. The API checks everything else. */
export function findDraftErrors({ earning, points }: ProgramDraft): Readonly<Record<string, string>> {
  const checks = [
    ...(earning === null ? [] : checkEarning(earning)),
    ...(points === null ? [] : checkPoints(points)),
  ];
  return Object.fromEntries(
    checks.filter(([isValid]) => !isValid).map(([, path, message]) => [path, message]),
  );
}

type Check = readonly [isValid: boolean, path: string, message: string];

function checkEarning({ currency, rules, bonuses, limits }: EarningDraft): readonly Check[] {
  const decimals = findDecimals(currency);
  const amountError = words.amount(formatAmount(1_250, decimals));
  const isAmount = (text: string) => !Number.isNaN(parseAmount(text, decimals));
  const limitChecks = (["perPurchase", "perDay"] as const).map(
    (name): Check => [isBlank(limits[name]) || isCount(limits[name]), `earning.limits.${name}`, words.number],
  );
  return [
    ...rules.flatMap(({ give, basis, amount, minAmount }, index): readonly Check[] => [
      [isCount(give), `earning.rules.${index}.give`, words.number],
      [
        basis !== "amount" || parseAmount(amount, decimals) > 0,
        `earning.rules.${index}.per.amount`,
        amountError,
      ],
      [isBlank(minAmount) || isAmount(minAmount), `earning.rules.${index}.minAmount`, amountError],
    ]),
    ...bonuses.map(
      ({ percent }, index): Check => [isCount(percent), `earning.bonuses.${index}.percent`, words.number],
    ),
    ...limitChecks,
  ];
}

function checkPoints({ pendingDays, expiry, expiresAfter, graceDays }: PointsDraft): readonly Check[] {
  return [
    [isCount(pendingDays), "points.pendingDays", words.number],
    [
      expiry === "never" || isCount(expiresAfter),
      `points.expiry.${expiry === "days" ? "days" : "months"}`,
      words.number,
    ],
    [isCount(graceDays), "points.graceDays", words.number],
  ];
}

/**
 * Returns the fields of a template's program that a draft changes.
 * @throws {CallError} with a message for each missing or invalid number.
 */
export function buildProgramChanges(draft: ProgramDraft, template: Program): Partial<Program> {
  const fields = findDraftErrors(draft);
  if (Object.keys(fields).length > 0) throw new CallError(422, { code: "validation_failed", fields });
  const saved = fromProgramDraft(toProgramDraft(template));
  const { earning, points } = fromProgramDraft(draft);
  return {
    ...(JSON.stringify(earning) !== JSON.stringify(saved.earning) && { earning }),
    ...(JSON.stringify(points) !== JSON.stringify(saved.points) && { points }),
  };
}
