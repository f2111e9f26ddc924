import { Link } from "../app/router.js";
import { LoadError } from "../components/feedback.js";
import { useInterval, useLoad } from "../components/load.js";
import { numberText } from "../words/en/forms.js";
import { overview as words } from "../words/en/overview.js";
import { buildListPath, funnel, program, RECENT_DAYS, readTotals } from "./program-counts.js";

const RELOAD_MS = 60_000;

const tiles = Object.values(program);

/** Shows the loyalty program's key figures. Each figure links to the customers it counts. */
export function Program() {
  const filters = [...tiles, ...funnel].map(({ filter }) => filter);
  const totals = useLoad("program", (calls) => readTotals(calls, filters));
  useInterval(RELOAD_MS, totals.reload);
  const { value: counts, error } = totals;
  // A placeholder keeps the space until the count arrives, so that the layout doesn't jump.
  const formatTotal = (index: number) => (counts === null ? "–" : numberText(counts[index] ?? 0));
  if (counts === null && error !== null) return <LoadError error={error} onRetry={totals.reload} />;
  return (
    <>
      <ul class="tiles" aria-label={words.customersNow} aria-busy={counts === null}>
        {tiles.map(({ text, filter }, index) => (
          <li key={text} class="panel">
            <Link class="tile" to={buildListPath(filter)}>
              <strong class="total number">{formatTotal(index)}</strong> <span>{text}</span>
            </Link>
          </li>
        ))}
      </ul>
      <section class="panel padded stack tight" aria-label={words.way}>
        <h2 class="quiet">{words.whoJoined(RECENT_DAYS)}</h2>
        <ol class="funnel">
          {funnel.map(({ text, filter }, index) => {
            const count = counts?.[tiles.length + index] ?? 0;
            const joinedCount = counts?.[tiles.length] ?? 0;
            const share = joinedCount === 0 ? 0 : count / joinedCount;
            return (
              <li key={text}>
                <Link to={buildListPath(filter)}>
                  {text} <span class="number">{formatTotal(tiles.length + index)}</span>
                </Link>{" "}
                <span class="quiet number">{Math.round(share * 100)} %</span>
                <progress class="progress" aria-label={words.ofJoined(text)} value={share} max={1} />
              </li>
            );
          })}
        </ol>
      </section>
    </>
  );
}
