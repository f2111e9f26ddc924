import type { Template } from "../../../../../src/cards/schema.js";
import { hasScopes } from "../api/session.js";
import { OutstandingPoints } from "./outstanding-points.js";
import { ProgramTiles } from "./program-tiles.js";
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
