import { useEffect, useState } from "preact/hooks";
import type { StampEntry } from "../../../../src/resources/stamps.js";
import { Moment } from "../parts/events.js";
import { useLoad } from "../parts/load.js";
import { Pager } from "../parts/pager.js";
import { Loading } from "../parts/states.js";

const SIZE = 10;

const words: Readonly<Record<StampEntry["type"], string>> = {
  added: "Added",
  removed: "Removed",
  set: "Corrected",
  reset: "All taken off",
  redeemed: "Reward redeemed",
  granted: "Reward given",
  reversed: "Undone",
};

interface StampHistoryProps {
  readonly passId: string;
  /** Changes with every write. */
  readonly turn: string;
}

/** The entries of a card's ledger, newest first. */
export function StampHistory({ passId, turn }: StampHistoryProps) {
  const [at, setAt] = useState(0);
  const entries = useLoad(`${passId} ${turn} ${at}`, (calls) =>
    calls.stamps.history(passId, { page: at, size: SIZE }),
  );
  // New entries are on the first page.
  useEffect(() => setAt(0), [turn]);
  return (
    <div class="stack tight">
      <h3>History</h3>
      <Loading of={entries}>
        {({ content, totalElements }) => (
          <>
            {totalElements === 0 && <p class="quiet">Nothing yet.</p>}
            <ol class="history">
              {content.map(({ id, type, delta, note, completions, createdAt }) => (
                <li key={id}>
                  <span class="grow">
                    {words[type]}
                    {delta !== 0 && ` ${delta > 0 ? "+" : "−"}${Math.abs(delta)}`}
                    {completions > 0 && <span class="chip good">card full</span>}
                    {note !== null && (
                      <>
                        {" · "}
                        <bdi class="quiet">{note}</bdi>
                      </>
                    )}
                  </span>
                  <Moment at={createdAt} />
                </li>
              ))}
            </ol>
            <Pager noun="entries" page={at} size={SIZE} total={totalElements} onPage={setAt} />
          </>
        )}
      </Loading>
    </div>
  );
}
