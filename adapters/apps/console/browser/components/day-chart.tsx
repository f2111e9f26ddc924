import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { chart as words } from "../words/en/chart.js";
import { locale, numberText } from "../words/en/forms.js";
import { computeScaleMaximum, findNextIndex } from "./chart-scale.js";

const HEIGHT = 120;
const BAR_WIDTH = 10;

const days = new Intl.DateTimeFormat(locale, { month: "short", day: "numeric", timeZone: "UTC" });

/** The value is `null` for a day without a count. */
type Points = readonly { readonly day: string; readonly value: number | null }[];

interface DayChartProps {
  readonly title: string;
  /** Content to show above the chart in place of its title, for example a choice. Screen readers still get the title. */
  readonly head?: ComponentChildren;
  /** True if each point is a level measured at the end of the day, false if it is the day's total. */
  readonly isLevel: boolean;
  readonly points: Points;
  /** Says what would fill the chart. Shown in place of the bars if every day's value is zero. */
  readonly emptyText?: string;
  /** Content to show below the chart. */
  readonly children?: ComponentChildren;
}

/**
 * A bar chart with one bar per day, a scale, and the total. While the user points at a day or selects it with the arrow keys, the
 * chart shows that day's value instead of the total. For screen readers, the numbers are also available as a table.
 */
export function DayChart({ title, head, isLevel, points, emptyText, children }: DayChartProps) {
  const [selectedIndex, setSelectedIndex] = useState<number | null>(null);
  const maximum = computeScaleMaximum(Math.max(...points.map(({ value }) => value ?? 0)));
  const last = points.at(-1)?.value ?? 0;
  const total = isLevel ? last : points.reduce((sum, { value }) => sum + (value ?? 0), 0);
  const growth = isLevel ? last - (points.find(({ value }) => value !== null)?.value ?? 0) : 0;
  const point = selectedIndex === null ? undefined : points[selectedIndex];
  const describedPoint = point ?? points.at(-1);
  return (
    <section class="panel padded chart" aria-label={title}>
      <h2 class={head === undefined ? "quiet" : "unseen"}>{title}</h2>
      {head}
      <p class="total number">
        {point === undefined ? numberText(total) : formatValue(point.value)}{" "}
        <span class="quiet">
          {point === undefined ? formatGrowth(growth) : days.format(new Date(point.day))}
        </span>
      </p>
      {emptyText !== undefined && points.every(({ value }) => value === 0) ? (
        <p class="plot-empty quiet">{emptyText}</p>
      ) : (
        <div class="plot">
          <ol class="scale quiet number" aria-hidden="true">
            {[maximum, maximum / 2, 0].map((value) => (
              <li key={value}>{numberText(value)}</li>
            ))}
          </ol>
          <div
            role="slider"
            tabIndex={0}
            aria-label={words.byDay(title)}
            aria-valuemin={0}
            aria-valuemax={points.length - 1}
            aria-valuenow={selectedIndex ?? points.length - 1}
            aria-valuetext={`${days.format(new Date(describedPoint?.day ?? 0))}: ${formatValue(describedPoint?.value ?? null)}`}
            onKeyDown={(event) => {
              const next = findNextIndex(event.key, selectedIndex, points.length);
              if (next === null) return;
              event.preventDefault();
              setSelectedIndex(next);
            }}
            onBlur={() => setSelectedIndex(null)}
            onPointerLeave={() => setSelectedIndex(null)}
          >
            <svg
              viewBox={`0 0 ${points.length * BAR_WIDTH} ${HEIGHT}`}
              preserveAspectRatio="none"
              aria-hidden="true"
              onPointerMove={({ clientX, currentTarget }) => {
                const { left, width } = currentTarget.getBoundingClientRect();
                const index = Math.floor(((clientX - left) / width) * points.length);
                setSelectedIndex(Math.min(Math.max(index, 0), points.length - 1));
              }}
            >
              <path
                class="bar"
                d={points
                  .map(({ value }, index) => (value === null ? "" : buildBarPath(index, value / maximum)))
                  .join("")}
              />
              {selectedIndex !== null && point !== undefined && point.value !== null && (
                <path class="bar pointed" d={buildBarPath(selectedIndex, point.value / maximum)} />
              )}
            </svg>
          </div>
          <div class="row spread quiet axis" aria-hidden="true">
            <span>{days.format(new Date(points[0]?.day ?? 0))}</span>
            <span>{days.format(new Date(points.at(-1)?.day ?? 0))}</span>
          </div>
        </div>
      )}
      {children}
      <DayTable caption={words.byDay(title)} points={points} />
    </section>
  );
}

/**
 * Returns the path of a bar.
 * @param share the bar's share of the full height. Zero becomes a line.
 */
function buildBarPath(index: number, share: number): string {
  const height = share <= 0 ? 1 : Math.max(share * HEIGHT, 3);
  return `M${index * BAR_WIDTH + 1} ${HEIGHT}v${-height}h${BAR_WIDTH - 2}v${height}z`;
}

/**
 * A table of the numbers for screen readers. It is rendered after the bars, so that user input doesn't wait for invisible content.
 */
function DayTable({ caption, points }: { readonly caption: string; readonly points: Points }) {
  const [tableRows, setTableRows] = useState<Points>([]);
  useEffect(() => setTableRows(points), [points]);
  return useMemo(
    () => (
      // Hide the wrapper rather than the table, because a table keeps the height of its rows.
      <div class="unseen">
        <table>
          <caption>{caption}</caption>
          <tbody>
            {tableRows.map(({ day, value }) => (
              <tr key={day}>
                <th scope="row">{days.format(new Date(day))}</th>
                <td>{value ?? "–"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    ),
    [caption, tableRows],
  );
}

const formatValue = (value: number | null): string => (value === null ? "–" : numberText(value));

function formatGrowth(growth: number): string {
  return growth === 0 ? "" : `${growth > 0 ? "+" : "−"}${numberText(Math.abs(growth))}`;
}
