import type { StatisticsReport } from "../../../../../src/statistics/schema.js";
import { Link } from "../app/router.js";
import { locale, numberText } from "../words/en/forms.js";
import { overview as words } from "../words/en/overview.js";
import { findChartLink, rewardEventsLink } from "./chart-links.js";

const numbers = [
  {
    text: words.stampsToday,
    count: ({ stamps }: Day) => stamps,
    place: () => findChartLink("stamps", 1),
    where: words.inCustomers,
  },
  {
    text: words.earnedToday,
    count: ({ rewardsEarned }: Day) => rewardsEarned,
    place: ({ date }: Day) => rewardEventsLink(date, "earned"),
    where: words.inLog,
  },
  {
    text: words.takenToday,
    count: ({ rewardsRedeemed }: Day) => rewardsRedeemed,
    place: ({ date }: Day) => rewardEventsLink(date, "taken"),
    where: words.inLog,
  },
] as const;

type Day = StatisticsReport["days"][number];

const weekday = new Intl.DateTimeFormat(locale, { weekday: "long", timeZone: "UTC" });

/** Shows today's figures so far and, for comparison, the figures for the same weekday last week. */
export function Today({ days }: Pick<StatisticsReport, "days">) {
  const [before, today] = [days.at(-8), days.at(-1)];
  if (before === undefined || today === undefined) return null;
  const last = words.allOfLast(weekday.format(new Date(before.date)));
  return (
    <section class="panel padded stack tight" aria-label={words.today}>
      <h2 class="quiet">{words.todaySoFar}</h2>
      <ul class="today">
        {numbers.map(({ text, count, place, where }) => {
          const to = place(today);
          return (
            <li key={text}>
              <strong class="total number">{numberText(count(today))}</strong> {text}
              <br />
              <span class="quiet">
                {last}: {numberText(count(before))}
              </span>
              {to !== undefined && (
                <>
                  <br />
                  <Link to={to}>{where}</Link>
                </>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
