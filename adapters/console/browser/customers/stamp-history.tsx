import { useEffect, useState } from "preact/hooks";
import type { Page } from "../../../../src/resources/page.js";
import type { StampEntry } from "../../../../src/resources/stamps.js";
import { get } from "../app/call.js";
import { useLoad } from "../parts/load.js";
import { Pager } from "../parts/pager.js";
import { Failed } from "../parts/states.js";
import { momentText } from "../parts/words.js";

const SIZE = 10;

const words: Readonly<Record<StampEntry["type"], string>> = {
  added: "Added",
  removed: "Removed",
  set: "Set",
  reset: "Reset",
  redeemed: "Reward redeemed",
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
  const entries = useLoad<Page<StampEntry>>(`${passId} ${turn} ${at}`, (signal) =>
    get(`/v1/walletpasses/${passId}/stamps/history?page=${at}&size=${SIZE}`, signal),
  );
  // What is new is on the first page.
  useEffect(() => setAt(0), [turn]);
  const page = entries.value;
  return (
    <div class="stack tight">
      <h3>History</h3>
      {entries.error !== null && <Failed error={entries.error} onRetry={entries.reload} />}
      {page?.totalElements === 0 && <p class="quiet">Nothing yet.</p>}
      <ol class="history">
        {page?.content.map(({ id, type, delta, note, completions, createdAt }) => (
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
            <time class="quiet number" dateTime={createdAt}>
              {momentText(createdAt)}
            </time>
          </li>
        ))}
      </ol>
      {page !== null && (
        <Pager noun="entries" page={at} size={SIZE} total={page.totalElements} onPage={setAt} />
      )}
    </div>
  );
}
