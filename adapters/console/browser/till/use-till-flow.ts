import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { newIdempotencyKey } from "../api/calls.js";
import { hasScopes } from "../api/session.js";
import { turns as words } from "../words/en/till.js";
import { play } from "./signal.js";
import { cardByCode, tillCalls } from "./till-calls.js";
import { TillFlow } from "./till-flow.js";
import { readTillPreferences } from "./till-preferences.js";
import { queueScan, withdrawScan } from "./till-queue.js";
import { emptyTillState, type TillState } from "./till-state.js";
import { openSnapshot, saveSnapshot } from "./till-storage.js";

/** Lives outside the component, so that waiting cards survive while another screen is shown. */
const flow = new TillFlow({
  find: cardByCode,
  stamp: (passId, count, idempotencyKey) => tillCalls.stamps.add(passId, { count, idempotencyKey }),
  redeem: (passId, idempotencyKey) => tillCalls.stamps.redeem(passId, { idempotencyKey }),
  reverse: (passId, entryId, idempotencyKey) =>
    tillCalls.stamps.reverse(passId, { entryId, note: words.undoneAtTill, idempotencyKey }),
  keep: queueScan,
  takeBackKept: (key) => withdrawScan(({ idempotencyKey }) => idempotencyKey === key),
  keepTurns: saveSnapshot,
  signal: (signal) => play(signal, readTillPreferences()),
  isEveryScanAStamp: () => readTillPreferences().isEveryScanAStamp,
  mayStamp: hasScopes("loyalty:manage"),
  newKey: newIdempotencyKey,
  now: Date.now,
  after: (ms, work) => setTimeout(work, ms),
});

let isRestored = false;

/** Restores the cards that were waiting when the till was closed. */
async function restore(): Promise<void> {
  flow.restore(await openSnapshot());
}

/** Returns the till's flow and its current state. Rerenders the component when the state changes. */
export function useTillFlow(): [TillFlow, TillState] {
  const [state, setState] = useState(emptyTillState);
  useLayoutEffect(() => flow.follow(setState), []);
  useEffect(() => {
    // Ignore failures, because there is nothing to restore if the browser has no storage.
    if (!isRestored) restore().catch(() => {});
    isRestored = true;
  }, []);
  return [flow, state];
}
