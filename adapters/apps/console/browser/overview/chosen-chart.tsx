import { useState } from "preact/hooks";
import { Link } from "../app/router.js";
import { DayChart } from "../components/day-chart.js";
import { Select } from "../components/field.js";
import { numberText } from "../words/en/forms.js";
import { overview as words } from "../words/en/overview.js";
import {
  type ChartField,
  chartFields,
  type Day,
  findListPath,
  isLevel,
  pointFields,
  readNumber,
} from "./chart-fields.js";

const platforms = [
  { field: "apple", name: "Apple" },
  { field: "google", name: "Google" },
  { field: "other", name: words.otherWallets },
] as const;

interface ChosenChartProps {
  /** The days to show. */
  readonly days: readonly Day[];
  /** Whether there are cards with points. */
  readonly hasPoints: boolean;
}

/** Shows a number that the user chooses, day by day, with a link to the customers, cards, or messages behind it. */
export function ChosenChart({ days, hasPoints }: ChosenChartProps) {
  const [field, setField] = useState<ChartField>("stamps");
  const title = words.charts[field];
  const to = findListPath(field, days.length);
  const fields = [...chartFields, ...(hasPoints ? pointFields : [])];
  return (
    <DayChart
      title={title}
      isLevel={isLevel(field)}
      points={days.map((day) => ({ day: day.date, value: readNumber(day, field) }))}
      emptyText={words.whatFills[field]}
      head={
        <p class="row spread">
          <Select
            aria-label={words.chart}
            value={field}
            choices={fields.map((each) => [each, words.charts[each]] as const)}
            onChoose={setField}
          />
          {to !== undefined && <Link to={to}>{words.showList}</Link>}
        </p>
      }
    >
      {field === "installs" && (
        <ul class="row quiet">
          {countPlatforms(days).map(({ name, count }) => (
            <li key={name}>
              {name} <span class="number">{numberText(count)}</span>
            </li>
          ))}
        </ul>
      )}
    </DayChart>
  );
}

/** Counts the cards added to wallets by platform. Returns an empty list if no card's platform is known. */
function countPlatforms(days: readonly Day[]) {
  const counts = platforms.map(({ field, name }) => ({
    name,
    isKnown: field !== "other",
    count: days.reduce((sum, { installs }) => sum + installs[field], 0),
  }));
  return counts.some(({ isKnown, count }) => isKnown && count > 0) ? counts : [];
}
