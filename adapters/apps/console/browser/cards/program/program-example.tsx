import { useState } from "preact/hooks";
import { dateOf, dayOf, dayOfDate, HOUR_MS, MINUTE_MS } from "../../../../../../src/base/values/clock.js";
import type { Bonus, Earning } from "../../../../../../src/cards/program-schema.js";
import { CountField, Field, Select, TextField } from "../../components/field.js";
import { example as words } from "../../words/en/card-program.js";
import { dayText, moneyText, pluralOf } from "../../words/en/forms.js";
import { findDecimals, formatAmount, parseAmount } from "./amount-text.js";
import type { CardUnit } from "./card-unit.js";
import {
  countExample,
  type ExamplePurchase,
  listExampleLines,
  suggestExampleLine,
} from "./example-purchase.js";
import { type EarningDraft, findDraftErrors, fromEarningDraft } from "./program-draft.js";
import { findDay, formatWeekday, weekdays } from "./weekdays.js";

const EXAMPLE_AMOUNT = 1_250;

interface ProgramExampleProps {
  readonly earning: EarningDraft;
  readonly unit: CardUnit;
}

/** Shows how much a purchase of the user's choice gives under the rules as they are in the form. */
export function ProgramExample({ earning, unit }: ProgramExampleProps) {
  const isComplete = Object.keys(findDraftErrors({ earning, points: null })).length === 0;
  return (
    <section class="note example" aria-label={words.title}>
      <h3>{words.title}</h3>
      {isComplete ? (
        <ExampleFields earning={fromEarningDraft(earning)} unit={unit} />
      ) : (
        <p role="status">{words.incomplete}</p>
      )}
    </section>
  );
}

/** The user's choices. Values that are `null` follow from the rules, so that the example shows their effect. */
interface Choice {
  readonly amount: string | null;
  readonly line: string | null;
  readonly pieces: string;
  readonly weekday: string | null;
  readonly date: string | null;
  readonly time: string | null;
}

const noChoice: Choice = { amount: null, line: null, pieces: "1", weekday: null, date: null, time: null };

function ExampleFields({ earning, unit }: { readonly earning: Earning; readonly unit: CardUnit }) {
  const [choice, setChoice] = useState(noChoice);
  const change = (part: Partial<Choice>) => setChoice((previous) => ({ ...previous, ...part }));
  const { currency, rules, bonuses, counts } = earning;
  const decimals = findDecimals(currency);
  const lines = listExampleLines(earning);
  const suggestedLine = suggestExampleLine(earning);
  const line = lines.find(({ key }) => key === choice.line) ?? lines.find(({ key }) => key === suggestedLine);
  const amount = choice.amount ?? formatAmount(EXAMPLE_AMOUNT, decimals);
  const isPerItem = rules.some(({ per }) => per === "item");
  const hasHours = bonuses.some(({ between }) => between !== undefined);
  const hasDates = bonuses.some(({ from, to }) => from !== undefined || to !== undefined);
  const weekday = choice.weekday ?? String(findFirst(bonuses, (bonus) => bonus.weekdays?.[0]) ?? 1);
  const date = choice.date ?? findFirst(bonuses, ({ from, to }) => from ?? to) ?? dateOf(dayOf(Date.now()));
  const time = choice.time ?? findFirst(bonuses, ({ between }) => between?.from) ?? "10:00";
  const purchase = {
    line: line ?? { kind: "goods", category: null, sku: null },
    amount: parseAmount(amount, decimals),
    quantity: /^\d{1,7}$/.test(choice.pieces) ? Number(choice.pieces) : Number.NaN,
    at: { day: hasDates ? dayOfDate(date) : findDay(Number(weekday)), time: parseTime(time) },
  } as const;
  const isComplete = ![purchase.amount, purchase.quantity, purchase.at.day, purchase.at.time].some(
    Number.isNaN,
  );
  const dayWords = hasDates
    ? words.onDate(isComplete ? dayText(`${date}T12:00`) : "")
    : words.onWeekday(formatWeekday(Number(weekday)));
  const when = hasHours ? words.atTime(dayWords, time) : dayWords;
  return (
    <>
      <div class="blanks">
        <TextField
          isInline
          label={words.amount}
          class="bound"
          type="text"
          inputMode="decimal"
          autocomplete="off"
          value={amount}
          onText={(text) => change({ amount: text })}
        />
        <span>{currency}</span>
        {isPerItem && (
          <>
            <CountField
              isInline
              label={words.pieces}
              class="bound"
              value={choice.pieces}
              onText={(text) => change({ pieces: text })}
            />
            <span>{pluralOf(Number(choice.pieces), words.piecesWord.one, words.piecesWord.many)}</span>
          </>
        )}
        <Field isInline label={words.what}>
          <Select
            class="narrow"
            value={line?.key ?? ""}
            choices={lines.map(({ key, text }) => [key, text] as const)}
            onChoose={(key) => change({ line: key })}
          />
        </Field>
        {hasDates ? (
          <TextField
            isInline
            label={words.date}
            type="date"
            class="narrow"
            value={date}
            onText={(text) => change({ date: text })}
          />
        ) : (
          <Field isInline label={words.weekday}>
            <Select
              class="narrow"
              value={weekday}
              choices={weekdays.map((each) => [String(each), formatWeekday(each)] as const)}
              onChoose={(chosen) => change({ weekday: chosen })}
            />
          </Field>
        )}
        {hasHours && (
          <TextField
            isInline
            label={words.time}
            type="time"
            class="narrow"
            value={time}
            onText={(text) => change({ time: text })}
          />
        )}
      </div>
      <p role="status" class="result">
        {isComplete ? describeResult(earning, purchase, when, unit) : words.incomplete}
      </p>
      {!counts.tax && <p class="hint">{words.withoutTax}</p>}
    </>
  );
}

function describeResult(earning: Earning, purchase: ExamplePurchase, when: string, unit: CardUnit): string {
  const { units, isLimited } = countExample(earning, purchase);
  const result = words.result(moneyText(purchase.amount, earning.currency), when, unit.countUnits(units));
  return isLimited ? `${result} ${words.limited}` : result;
}

/** Parses a time such as "14:00" to milliseconds since midnight. Returns `NaN` for other text. */
function parseTime(text: string): number {
  const [hours = Number.NaN, minutes = Number.NaN] = text.split(":").map(Number);
  return hours * HOUR_MS + minutes * MINUTE_MS;
}

/** Returns the first value that a bonus has, or `undefined` if none has one. */
function findFirst<T>(bonuses: readonly Bonus[], read: (bonus: Bonus) => T | undefined): T | undefined {
  return bonuses.map(read).find((value) => value !== undefined);
}
