import type { Template } from "../../../../../src/cards/schema.js";
import { hasScopes } from "../api/session.js";
import { Link } from "../app/router.js";
import { LoadError } from "../components/feedback.js";
import { useInterval, useLoad } from "../components/load.js";
import { numberText } from "../words/en/forms.js";
import { overview as words } from "../words/en/overview.js";
import { OutstandingPoints } from "./outstanding-points.js";
import { buildListPath, program, readTotals } from "./program-counts.js";
import { VisitHours } from "./visit-hours.js";

interface MoreNumbersProps {
  /** The templates that the user is allowed to see. */
  readonly templates: readonly Template[];
  /** Whether there are cards with points. */
  readonly hasPoints: boolean;
}

/** Shows numbers that are needed less often, behind a press. */
export function MoreNumbers({ templates, hasPoints }: MoreNumbersProps) {
  return (
    <div class="stack">
      {hasScopes("segment:read", "pass:read", "user:read") && <ProgramTiles />}
      {hasScopes("statistics:read") && <VisitHours />}
      {hasPoints && <OutstandingPoints templates={templates} />}
    </div>
  );
}

const RELOAD_MS = 60_000;

const tiles = Object.values(program);

/** Shows how many customers are new, came back, stayed away, or have a reward waiting. Each number links to its customers. */
function ProgramTiles() {
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
