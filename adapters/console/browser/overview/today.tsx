import type { StatisticsReport } from "../../../../src/resources/statistics.js";
import { numberText } from "../words/en/forms.js";

const numbers = [
  { text: "stamps", count: ({ stamps }: Day) => stamps },
  { text: "rewards earned", count: ({ rewardsEarned }: Day) => rewardsEarned },
  { text: "rewards taken", count: ({ rewardsRedeemed }: Day) => rewardsRedeemed },
] as const;

type Day = StatisticsReport["days"][number];

const weekday = new Intl.DateTimeFormat("en", { weekday: "long", timeZone: "UTC" });

/** What came today so far, beside the whole of the same weekday a week ago. */
export function Today({ days }: Pick<StatisticsReport, "days">) {
  const [before, today] = [days.at(-8), days.at(-1)];
  if (before === undefined || today === undefined) return null;
  const last = `all of last ${weekday.format(new Date(before.date))}`;
  return (
    <section class="panel padded stack tight" aria-label="Today">
      <h2 class="quiet">Today so far</h2>
      <ul class="today">
        {numbers.map(({ text, count }) => (
          <li key={text}>
            <strong class="total number">{numberText(count(today))}</strong> {text}
            <br />
            <span class="quiet">
              {last}: {numberText(count(before))}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
