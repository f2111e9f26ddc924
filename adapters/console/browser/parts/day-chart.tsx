import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { chart as words } from "../words/en/chart.js";
import { language, numberText } from "../words/en/forms.js";

const HEIGHT = 120;
const BAR = 10;

const days = new Intl.DateTimeFormat(language, { month: "short", day: "numeric", timeZone: "UTC" });

interface DayChartProps {
  readonly title: string;
  /** Whether a day has what there is at its end, not what came on it. */
  readonly isLevel: boolean;
  readonly points: readonly { readonly day: string; readonly value: number }[];
  /** What else is to be said of them. */
  readonly children?: ComponentChildren;
}

/** One bar for each day, what they come to, and the numbers as a table for whoever does not see bars. */
export function DayChart({ title, isLevel, points, children }: DayChartProps) {
  const [pointed, setPointed] = useState<number | null>(null);
  const most = Math.max(1, ...points.map(({ value }) => value));
  const last = points.at(-1)?.value ?? 0;
  const total = isLevel ? last : points.reduce((sum, { value }) => sum + value, 0);
  const growth = isLevel ? last - (points[0]?.value ?? 0) : 0;
  const point = pointed === null ? undefined : points[pointed];
  return (
    <section class="panel padded chart" aria-label={title}>
      <h2 class="quiet">{title}</h2>
      <p class="total number">
        {numberText(point?.value ?? total)}{" "}
        <span class="quiet">
          {point === undefined ? growthText(growth) : days.format(new Date(point.day))}
        </span>
      </p>
      <svg
        viewBox={`0 0 ${points.length * BAR} ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
        onPointerLeave={() => setPointed(null)}
      >
        {points.map(({ day, value }, at) => {
          const height = value === 0 ? 1 : Math.max((value / most) * (HEIGHT - 4), 3);
          return (
            <g key={day} onPointerEnter={() => setPointed(at)}>
              <rect class="hit" x={at * BAR} width={BAR} height={HEIGHT} />
              <rect
                class={at === pointed ? "bar pointed" : "bar"}
                x={at * BAR + 1}
                y={HEIGHT - height}
                width={BAR - 2}
                height={height}
              />
            </g>
          );
        })}
      </svg>
      <div class="row spread quiet axis" aria-hidden="true">
        <span>{days.format(new Date(points[0]?.day ?? 0))}</span>
        <span>{words.highest(Math.max(0, ...points.map(({ value }) => value)))}</span>
        <span>{days.format(new Date(points.at(-1)?.day ?? 0))}</span>
      </div>
      {children}
      {/* A table keeps the height of its rows, so what is around it is unseen. */}
      <div class="unseen">
        <table>
          <caption>{words.byDay(title)}</caption>
          <tbody>
            {points.map(({ day, value }) => (
              <tr key={day}>
                <th scope="row">{days.format(new Date(day))}</th>
                <td>{value}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function growthText(growth: number): string {
  return growth === 0 ? "" : `${growth > 0 ? "+" : "−"}${numberText(Math.abs(growth))}`;
}
