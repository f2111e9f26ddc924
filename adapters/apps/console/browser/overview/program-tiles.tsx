import { Link } from "../app/router.js";
import { LoadError } from "../components/feedback.js";
import { useInterval, useLoad } from "../components/load.js";
import { numberText } from "../words/en/forms.js";
import { overview as words } from "../words/en/overview.js";
import { buildListPath, program, readTotals } from "./program-counts.js";

const RELOAD_MS = 60_000;

const tiles = Object.values(program);

/** Shows how many customers are new, came back, stayed away, or have a reward waiting. Each number links to its customers. */
export function ProgramTiles() {
  const filters = tiles.map(({ filter }) => filter);
  const totals = useLoad("program", (calls) => readTotals(calls, filters));
  useInterval(RELOAD_MS, totals.reload);
  const { value: counts, error } = totals;
  if (counts === null && error !== null) return <LoadError error={error} onRetry={totals.reload} />;
  return (
    <ul class="tiles" aria-label={words.customersNow} aria-busy={counts === null}>
      {tiles.map(({ text, filter }, index) => (
        <li key={text} class="panel">
          <Link class="tile" to={buildListPath(filter)}>
            {/* A placeholder keeps the space until the count arrives, so that the layout doesn't jump. */}
            <strong class="total number">{counts === null ? "–" : numberText(counts[index] ?? 0)}</strong>{" "}
            <span class="name">{text}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
