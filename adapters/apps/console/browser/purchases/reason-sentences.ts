import type { LineFilter } from "../../../../../src/cards/program-schema.js";
import { formatUnits, type UnitKind, type UnitWords } from "../components/unit-text.js";
import { locale, moneyText, numberText, quoted } from "../words/en/forms.js";
import { reasons } from "../words/en/purchases.js";
import { units } from "../words/en/units.js";
import type { Translated } from "../words/translated.js";
import type { Calculation, Reason, RuleResult } from "./purchase-reason.js";

/** Maximum number of SKUs or categories that a sentence lists. */
const MAX_LABELS = 5;

/** The texts of a language. */
export interface ReasonTexts {
  readonly words: Translated<typeof reasons>;
  readonly units: UnitWords;
  readonly forms: {
    readonly locale: string;
    readonly moneyText: typeof moneyText;
    readonly numberText: typeof numberText;
    readonly quoted: typeof quoted;
  };
}

const consoleTexts: ReasonTexts = {
  words: reasons,
  units,
  forms: { locale, moneyText, numberText, quoted },
};

/**
 * Explains a card's points or stamps from a purchase in sentences. The first one says the result, such as "12 points: €12.50 of
 * goods, 1 point for every €1.00; shipping doesn’t count".
 */
export function describeReason(
  reason: Reason,
  kind: UnitKind,
  texts: ReasonTexts = consoleTexts,
): readonly string[] {
  const { purchase, effect, earning, calculation } = reason;
  const { words } = texts;
  const formats: Formats = {
    formatCount: (count) => formatUnits(count, kind, texts.units),
    formatMoney: (amount) => texts.forms.moneyText(amount, purchase.currency),
  };
  const { formatCount } = formats;
  const total = formatCount(effect.units);
  const notTaken = effect.notTaken > 0 ? [words.notTaken(formatCount(effect.notTaken))] : [];
  if (effect.because === "currency_mismatch") {
    const { currency } = purchase;
    const isKnown = earning !== null && earning.currency !== currency;
    return [
      isKnown
        ? words.otherCurrency(total, earning.currency, currency)
        : words.unknownCurrency(total, currency),
      ...notTaken,
    ];
  }
  if (calculation === null) {
    const cut = effect.cut > 0 ? [words.cut(formatCount(effect.units + effect.cut))] : [];
    return [words.byFormerRules(total), ...cut, ...notTaken];
  }
  const [lead, ...ruleSentences] = describeRules(total, calculation, formats, texts);
  const uncounted = calculation.uncountedKinds.map((each) => words.notCounted[each]);
  return [
    [lead, ...uncounted].join("; "),
    ...ruleSentences,
    ...describeDetails(reason, calculation, formats, texts),
    ...notTaken,
  ];
}

interface Formats {
  readonly formatCount: (count: number) => string;
  readonly formatMoney: (amount: number) => string;
}

/** Describes the rules: one in the sentence that says the total, several in a sentence each behind it. */
function describeRules(
  total: string,
  { rules, countedKinds, earning }: Calculation,
  formats: Formats,
  texts: ReasonTexts,
): readonly string[] {
  const { words, forms } = texts;
  const kinds = new Intl.ListFormat(forms.locale).format(countedKinds.map((each) => words.kinds[each]));
  const sentences = rules.map((result) => ({
    units: formats.formatCount(result.units),
    text: describeRule(result, kinds, formats, texts),
  }));
  const [only] = sentences;
  if (sentences.length === 1 && only !== undefined) return [`${total}: ${only.text}`];
  const lead = earning.combine === "best" ? words.best(total) : words.sum(total);
  return [lead, ...sentences.map(({ units, text }) => `${units}: ${text}`)];
}

function describeRule(
  { rule, amount, items }: RuleResult,
  kinds: string,
  { formatCount, formatMoney }: Formats,
  texts: ReasonTexts,
): string {
  const { words } = texts;
  const { per, inSteps = false, minAmount } = rule;
  const give = formatCount(rule.give);
  const conditions = [
    ...describeFilter(rule.only ?? {}, texts),
    ...(minAmount > 0 ? [words.fromAmount(formatMoney(minAmount))] : []),
  ];
  if (per === "purchase") return [words.perPurchase(give), ...conditions].join(", ");
  if (per === "item") return [words.items(items), words.perItem(give), ...conditions].join(", ");
  const rate = (inSteps ? words.inSteps : words.perAmount)(give, formatMoney(per.amount));
  return [words.ofKinds(formatMoney(amount), kinds), rate, ...conditions].join(", ");
}

/** Describes what else changed the result: bonuses, what doesn't count of the amounts, returns, and limits. */
function describeDetails(
  { purchase, effect }: Reason,
  { bonuses, earning, returnedUnits }: Calculation,
  { formatCount, formatMoney }: Formats,
  { words, forms }: ReasonTexts,
): readonly string[] {
  const { lines, paidWithPoints, returnedTotal } = purchase;
  const { counts, limits } = earning;
  const sentences = bonuses.map(({ percent, amount, items }) =>
    words.bonus(amount > 0 ? formatMoney(amount) : words.items(items), forms.numberText(percent / 100)),
  );
  if (!counts.tax && lines.some(({ tax }) => tax > 0)) sentences.push(words.withoutTax);
  if (!counts.paidWithPoints && paidWithPoints > 0)
    sentences.push(words.paidWithPoints(formatMoney(paidWithPoints)));
  if (effect.cut > 0) {
    const whole = formatCount(effect.units + effect.cut);
    // A purchase that stays below its own limit is cut by the day's.
    if (limits.perPurchase === effect.units)
      sentences.push(words.limitPerPurchase(whole, formatCount(effect.units)));
    else if (limits.perDay !== undefined)
      sentences.push(words.limitPerDay(whole, formatCount(limits.perDay)));
    else sentences.push(words.cut(whole));
  } else if (returnedUnits > 0) {
    sentences.push(words.returned(formatCount(returnedUnits), formatMoney(returnedTotal)));
  }
  return sentences;
}

function describeFilter(
  { skus, categories, notSkus, notCategories }: LineFilter,
  { words, forms: { locale, quoted } }: ReasonTexts,
): readonly string[] {
  const list = new Intl.ListFormat(locale);
  const formatLabels = (labels: readonly string[]) => {
    const shown = labels.slice(0, MAX_LABELS).map(quoted);
    const others = labels.length - shown.length;
    return list.format(others > 0 ? [...shown, words.others(others)] : shown);
  };
  const describe = (labels: readonly string[] | undefined, text: (labels: string) => string) =>
    labels === undefined ? [] : [text(formatLabels(labels))];
  return [
    ...describe(categories, words.only),
    ...describe(skus, words.only),
    ...describe(notCategories, words.except),
    ...describe(notSkus, words.except),
  ];
}
