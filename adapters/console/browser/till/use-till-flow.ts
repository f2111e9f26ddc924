import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { newIdempotencyKey } from "../api/calls.js";
import { may } from "../api/session.js";
import { turns as words } from "../words/en/till.js";
import { play } from "./signal.js";
import { cardByCode, tillCalls } from "./till-calls.js";
import { tillChoices } from "./till-choices.js";
import { TillFlow } from "./till-flow.js";
import { keepScan, takeBackScan } from "./till-queue.js";
import { nothingShown, type TillState } from "./till-state.js";
import { keepTurns, openTurns } from "./turns-on-device.js";

/** It goes on while another screen is shown, so that no turn is lost that waits. */
const flow = new TillFlow({
  find: cardByCode,
  stamp: (passId, count, idempotencyKey) => tillCalls.stamps.add(passId, { count, idempotencyKey }),
  redeem: (passId, idempotencyKey) => tillCalls.stamps.redeem(passId, { idempotencyKey }),
  reverse: (passId, entryId, idempotencyKey) =>
    tillCalls.stamps.reverse(passId, { entryId, note: words.undoneAtTill, idempotencyKey }),
  keep: keepScan,
  takeBackKept: (key) => takeBackScan(({ idempotencyKey }) => idempotencyKey === key),
  keepTurns,
  signal: (signal) => play(signal, tillChoices()),
  isEveryScanAStamp: () => tillChoices().isEveryScanAStamp,
  mayStamp: may("loyalty:manage"),
  newKey: newIdempotencyKey,
  now: Date.now,
  after: (ms, work) => setTimeout(work, ms),
});

let isRestored = false;

/** Goes on with the turns that were waiting when the till was closed. */
async function restore(): Promise<void> {
  flow.restore(await openTurns());
}

/** The turns at this till, and what it shows of them. */
export function useTillFlow(): [TillFlow, TillState] {
  const [state, setState] = useState(nothingShown);
  useLayoutEffect(() => flow.follow(setState), []);
  useEffect(() => {
    // A browser that keeps nothing has nothing to go on with.
    if (!isRestored) restore().catch(() => {});
    isRestored = true;
  }, []);
  return [flow, state];
}
