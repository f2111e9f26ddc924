import { Link } from "../app/router.js";
import { LoadError } from "../components/feedback.js";
import { useInterval, useLoad } from "../components/load.js";
import { numberText } from "../words/en/forms.js";
import { overview as words } from "../words/en/overview.js";
import { filteredListPath, funnel, LATELY, program, readTotals } from "./program-counts.js";

const RELOAD_MS = 60_000;

const tiles = Object.values(program);

/** Shows the loyalty program's key figures. Each figure links to the customers it counts. */
export function Program() {
  const filters = [...tiles, ...funnel].map(({ filter }) => filter);
  const totals = useLoad("program", (calls) => readTotals(calls, filters));
  useInterval(RELOAD_MS, totals.reload);
  const { value: found, error } = totals;
  // A placeholder keeps the space until the count arrives, so that the layout doesn't jump.
  const countText = (at: number) => (found === null ? "–" : numberText(found[at] ?? 0));
  if (found === null && error !== null) return <LoadError error={error} onRetry={totals.reload} />;
  return (
    <>
      <ul class="tiles" aria-label={words.customersNow} aria-busy={found === null}>
        {tiles.map(({ text, filter }, at) => (
          <li key={text} class="panel">
            <Link class="tile" to={filteredListPath(filter)}>
              <strong class="total number">{countText(at)}</strong> <span>{text}</span>
            </Link>
          </li>
        ))}
      </ul>
      <section class="panel padded stack tight" aria-label={words.way}>
        <h2 class="quiet">{words.whoJoined(LATELY)}</h2>
        <ol class="funnel">
          {funnel.map(({ text, filter }, at) => {
            const count = found?.[tiles.length + at] ?? 0;
            const all = found?.[tiles.length] ?? 0;
            const share = all === 0 ? 0 : count / all;
            return (
              <li key={text}>
                <Link to={filteredListPath(filter)}>
                  {text} <span class="number">{countText(tiles.length + at)}</span>
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
