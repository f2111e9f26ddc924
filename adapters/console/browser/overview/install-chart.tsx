import type { StatisticsReport } from "../../../../src/resources/statistics.js";
import { numberText } from "../parts/words.js";
import { DayChart } from "./day-chart.js";

const platforms = [
  { field: "apple", name: "Apple" },
  { field: "google", name: "Google" },
  { field: "other", name: "Other" },
] as const;

/** How many cards came into wallets, by day, and by platform over all of them. */
export function InstallChart({ report }: { readonly report: StatisticsReport }) {
  return (
    <DayChart
      title="Added to wallets"
      isLevel={false}
      points={report.days.map(({ date, installs: { apple, google, other } }) => ({
        day: date,
        value: apple + google + other,
      }))}
    >
      <ul class="row quiet">
        {platforms.map(({ field, name }) => (
          <li key={field}>
            {name} <span class="number">{numberText(report.installs[field])}</span>
          </li>
        ))}
      </ul>
    </DayChart>
  );
}
