import { Link } from "../app/router.js";
import { locale, numberText } from "../words/en/forms.js";
import { overview as words } from "../words/en/overview.js";
import { type ChartField, type Day, findCustomersPath, findListPath, readNumber } from "./chart-fields.js";
import { changeText } from "./percent-text.js";

interface KeyNumbersProps {
  /** All loaded days: at least twice the range, and one day before. */
  readonly days: readonly Day[];
  /** The number of days to add up, including today. */
  readonly range: number;
  /** Whether there are cards with points. */
  readonly hasPoints: boolean;
}

interface KeyNumber {
  readonly text: string;
  readonly now: number;
  readonly before: number;
  readonly to: string | undefined;
}

const weekday = new Intl.DateTimeFormat(locale, { weekday: "long", timeZone: "UTC" });

/** Shows three numbers of a period, each beside the period before if the shop had customers then. Today is compared with the same weekday of last week. */
export function KeyNumbers({ days, range, hasPoints }: KeyNumbersProps) {
  const isToday = range === 1;
  const lastWeek = days.at(-8);
  // A shop without customers before the period has nothing to compare with.
  const isCompared = (days.at(isToday ? -8 : -1 - range)?.customers ?? 0) > 0;
  const beforeText = (before: number) =>
    isToday && lastWeek !== undefined
      ? words.allOfLast(before, weekday.format(new Date(lastWeek.date)))
      : words.before(before, range);
  return (
    <ul class="tiles key-numbers" aria-label={isToday ? words.todaySoFar : words.lastDays(range)}>
      {listKeyNumbers(days, range, hasPoints).map(({ text, now, before, to }) => {
        const tile = (
          <>
            <strong class="total number">{numberText(now)}</strong>
            <span class="name">{text}</span>
            {isCompared && (
              <span class="quiet number">
                {!isToday && before > 0 && (
                  <>
                    <strong>{changeText(before, now)}</strong>
                    {" · "}
                  </>
                )}
                {beforeText(before)}
              </span>
            )}
          </>
        );
        return (
          <li key={text} class="panel">
            {to === undefined ? (
              <p class="tile">{tile}</p>
            ) : (
              <Link class="tile" to={to}>
                {tile}
              </Link>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** Lists the numbers to show. A shop that gives points and no stamps sees its points. */
function listKeyNumbers(days: readonly Day[], range: number, hasPoints: boolean): readonly KeyNumber[] {
  const periodBefore = range === 1 ? days.slice(-8, -7) : days.slice(-2 * range, -range);
  const sum = (period: readonly Day[], field: ChartField) =>
    period.reduce((total, day) => total + readNumber(day, field), 0);
  const createNumber = (field: "stamps" | "rewardsRedeemed" | "pointsGiven" | "pointsSpent"): KeyNumber => ({
    text: words.charts[field],
    now: sum(days.slice(-range), field),
    before: sum(periodBefore, field),
    to: findListPath(field, range),
  });
  const countCustomers = (index: number) => days.at(index)?.customers ?? 0;
  const isPointShop = hasPoints && days.every(({ stamps }) => stamps === 0);
  return [
    {
      text: words.newCustomers,
      now: countCustomers(-1) - countCustomers(-1 - range),
      before:
        range === 1
          ? countCustomers(-8) - countCustomers(-9)
          : countCustomers(-1 - range) - countCustomers(-1 - 2 * range),
      to: findCustomersPath({ operator: "AND", conditions: [{ joined: { withinDays: range - 1 } }] }),
    },
    createNumber(isPointShop ? "pointsGiven" : "stamps"),
    createNumber(isPointShop ? "pointsSpent" : "rewardsRedeemed"),
  ];
}
