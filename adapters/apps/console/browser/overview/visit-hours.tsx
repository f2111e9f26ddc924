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
const LEAST_HOURS = 10;

const shortDay = new Intl.DateTimeFormat(locale, { weekday: "short", timeZone: "UTC" });
const longDay = new Intl.DateTimeFormat(locale, { weekday: "long", timeZone: "UTC" });

/** The first Monday after the Unix epoch, in days since the epoch. */
const MONDAY = 4;

const weekdayIn = (format: Intl.DateTimeFormat, weekday: number) =>
  format.format(new Date((MONDAY + weekday) * 86_400_000));

/** Shows a heat map of visits by weekday and hour. */
export function VisitHours() {
  const report = useLoad("hours", (calls) => calls.statistics.get({ days: 7 * WEEKS }));
  useInterval(RELOAD_MS, report.reload);
  return (
    <section class="panel padded stack tight" aria-label={words.title}>
      <h2 class="quiet">{words.title}</h2>
      <Loading data={report} height="14rem" count={1}>
        {({ visitsByHour }) => <Grid weekdays={visitsByHour} />}
      </Loading>
    </section>
  );
}

/**
 * Returns every hour from the first to the last hour that had visits, including hours without visits in between. The range is
 * extended to at least {@link LEAST_HOURS} hours.
 */
export function visibleHours(weekdays: readonly (readonly number[])[]): readonly number[] {
  const busy = Array.from({ length: 24 }, (_, hour) => hour).filter((hour) =>
    weekdays.some((hours) => (hours[hour] ?? 0) > 0),
  );
  const from = Math.min(busy[0] ?? 8, 24 - LEAST_HOURS);
  const until = Math.max((busy.at(-1) ?? from) + 1, from + LEAST_HOURS);
  return Array.from({ length: until - from }, (_, at) => from + at);
}

function Grid({ weekdays }: { readonly weekdays: readonly (readonly number[])[] }) {
  const [pointed, setPointed] = useState<number | null>(null);
  const hours = visibleHours(weekdays);
  const cells = weekdays.flatMap((all, weekday) =>
    hours.map((hour) => ({ weekday, hour, count: Math.max(all[hour] ?? 0, 0) })),
  );
  const most = Math.max(...cells.map(({ count }) => count), 1);
  const busiestAt = cells.reduce((at, { count }, place) => (count > (cells[at]?.count ?? 0) ? place : at), 0);
  const cell = pointed === null ? undefined : cells[pointed];
  const told = cell ?? cells[busiestAt];
  if (told === undefined || (cell === undefined && told.count === 0)) {
    return <p class="quiet">{words.none(WEEKS)}</p>;
  }
  return (
    <>
      <p class="number">
        {cell === undefined && <span class="quiet">{words.most(WEEKS)} </span>}
        {words.inHour(weekdayIn(longDay, told.weekday), told.hour, told.count)}
      </p>
      <div class="hours" onPointerLeave={() => setPointed(null)}>
        <table>
          <caption class="unseen">{words.table}</caption>
          <thead>
            <tr>
              <th scope="col">
                <span class="unseen">{words.weekday}</span>
              </th>
              {hours.map((hour, at) => (
                <th key={hour} scope="col" class="quiet number">
                  <span class={at % 2 === 0 ? "" : "every-other"}>{hour}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {weekdays.map((_, weekday) => (
              <tr key={weekdayIn(shortDay, weekday)}>
                <th scope="row" class="quiet">
                  {weekdayIn(shortDay, weekday)}
                </th>
                {hours.map((hour, at) => {
                  const place = weekday * hours.length + at;
                  const count = cells[place]?.count ?? 0;
                  return (
                    <td key={hour}>
                      <button
                        type="button"
                        tabIndex={place === (pointed ?? busiestAt) ? 0 : -1}
                        style={{ "--share": count === 0 ? "0%" : `${Math.round(15 + (85 * count) / most)}%` }}
                        onKeyDown={(event) => {
                          const next = nextCell(event.key, place, hours.length, cells.length);
                          if (next === null) return;
                          event.preventDefault();
                          event.currentTarget.closest("table")?.querySelectorAll("button")[next]?.focus();
                        }}
                        onFocus={() => setPointed(place)}
                        onBlur={() => setPointed(null)}
                        onPointerEnter={() => setPointed(place)}
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
function nextCell(key: string, at: number, width: number, count: number): number | null {
  if (key === "ArrowUp") return at < width ? at : at - width;
  if (key === "ArrowDown") return at + width < count ? at + width : at;
  return findNextIndex(key, at, count);
}
