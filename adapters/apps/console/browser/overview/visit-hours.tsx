import { useState } from "preact/hooks";
import { findNextIndex } from "../components/chart-scale.js";
import { Loading } from "../components/feedback.js";
import { useInterval, useLoad } from "../components/load.js";
import { locale } from "../words/en/forms.js";
import { visits as words } from "../words/en/visits.js";

const RELOAD_MS = 60_000;

/** Whole weeks, so that each weekday is included equally often. */
const WEEKS = 8;

/** Minimum number of hours to show, so that the cells of a new shop already have their final size. */
const MIN_HOURS = 10;

const shortDay = new Intl.DateTimeFormat(locale, { weekday: "short", timeZone: "UTC" });
const longDay = new Intl.DateTimeFormat(locale, { weekday: "long", timeZone: "UTC" });

/** The first Monday after the Unix epoch, in days since the epoch. */
const MONDAY = 4;

const formatWeekday = (format: Intl.DateTimeFormat, weekday: number) =>
  format.format(new Date((MONDAY + weekday) * 86_400_000));

/** Shows a heat map of visits by weekday and hour. */
export function VisitHours() {
  const report = useLoad("hours", (calls) => calls.statistics.get({ days: 7 * WEEKS }));
  useInterval(RELOAD_MS, report.reload);
  return (
    <section class="panel padded stack tight" aria-label={words.title}>
      <h2>{words.title}</h2>
      <Loading data={report} height="14rem" count={1}>
        {({ visitsByHour }) => <Grid weekdays={visitsByHour} />}
      </Loading>
    </section>
  );
}

/**
 * Returns the hours from the first to the last hour with visits, including any hours without visits in between. Always returns at
 * least {@link MIN_HOURS} hours.
 */
export function listVisibleHours(weekdays: readonly (readonly number[])[]): readonly number[] {
  const busyHours = Array.from({ length: 24 }, (_, hour) => hour).filter((hour) =>
    weekdays.some((hours) => (hours[hour] ?? 0) > 0),
  );
  const from = Math.min(busyHours[0] ?? 8, 24 - MIN_HOURS);
  const until = Math.max((busyHours.at(-1) ?? from) + 1, from + MIN_HOURS);
  return Array.from({ length: until - from }, (_, index) => from + index);
}

function Grid({ weekdays }: { readonly weekdays: readonly (readonly number[])[] }) {
  const [selectedIndex, setSelectedIndex] = useState<number | null>(null);
  const hours = listVisibleHours(weekdays);
  const cells = weekdays.flatMap((hourCounts, weekday) =>
    hours.map((hour) => ({ weekday, hour, count: Math.max(hourCounts[hour] ?? 0, 0) })),
  );
  const maximum = Math.max(...cells.map(({ count }) => count), 1);
  const busiestIndex = cells.reduce(
    (best, { count }, index) => (count > (cells[best]?.count ?? 0) ? index : best),
    0,
  );
  const cell = selectedIndex === null ? undefined : cells[selectedIndex];
  const describedCell = cell ?? cells[busiestIndex];
  if (describedCell === undefined || (cell === undefined && describedCell.count === 0)) {
    return <p class="quiet">{words.none(WEEKS)}</p>;
  }
  return (
    <>
      <p class="number">
        {cell === undefined && <span class="quiet">{words.most(WEEKS)} </span>}
        {words.inHour(formatWeekday(longDay, describedCell.weekday), describedCell.hour, describedCell.count)}
      </p>
      <div class="hours" onPointerLeave={() => setSelectedIndex(null)}>
        <table>
          <caption class="unseen">{words.table}</caption>
          <thead>
            <tr>
              <th scope="col">
                <span class="unseen">{words.weekday}</span>
              </th>
              {hours.map((hour, index) => (
                <th key={hour} scope="col" class="quiet number">
                  <span class={index % 2 === 0 ? "" : "every-other"}>{hour}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {weekdays.map((_, weekday) => (
              <tr key={formatWeekday(shortDay, weekday)}>
                <th scope="row" class="quiet">
                  {formatWeekday(shortDay, weekday)}
                </th>
                {hours.map((hour, index) => {
                  const cellIndex = weekday * hours.length + index;
                  const count = cells[cellIndex]?.count ?? 0;
                  return (
                    <td key={hour}>
                      <button
                        type="button"
                        tabIndex={cellIndex === (selectedIndex ?? busiestIndex) ? 0 : -1}
                        style={{
                          "--share": count === 0 ? "0%" : `${Math.round(15 + (85 * count) / maximum)}%`,
                        }}
                        onKeyDown={(event) => {
                          const next = findNextCell(event.key, cellIndex, hours.length, cells.length);
                          if (next === null) return;
                          event.preventDefault();
                          event.currentTarget.closest("table")?.querySelectorAll("button")[next]?.focus();
                        }}
                        onFocus={() => setSelectedIndex(cellIndex)}
                        onBlur={() => setSelectedIndex(null)}
                        onPointerEnter={() => setSelectedIndex(cellIndex)}
                      >
                        <span class="unseen">{count}</span>
                      </button>
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** Like {@link findNextIndex}, but the up and down arrow keys move between weekdays. */
function findNextCell(key: string, index: number, width: number, count: number): number | null {
  if (key === "ArrowUp") return index < width ? index : index - width;
  if (key === "ArrowDown") return index + width < count ? index + width : index;
  return findNextIndex(key, index, count);
}
