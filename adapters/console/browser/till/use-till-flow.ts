import { useLayoutEffect, useState } from "preact/hooks";
import { newIdempotencyKey } from "../api/calls.js";
import { may } from "../api/session.js";
import { play } from "./signal.js";
import { tillCalls } from "./till-calls.js";
import { tillChoices } from "./till-choices.js";
import { TillFlow } from "./till-flow.js";
import { keepScan, takeBackScan } from "./till-queue.js";
import { nothingShown, type TillState } from "./till-state.js";

/** It goes on while another screen is shown, so that no turn is lost that waits. */
const flow = new TillFlow({
  stamp: (passId, count, idempotencyKey) => tillCalls.stamps.add(passId, { count, idempotencyKey }),
  redeem: (passId, idempotencyKey) => tillCalls.stamps.redeem(passId, { idempotencyKey }),
  reverse: (passId, entryId, idempotencyKey) =>
    tillCalls.stamps.reverse(passId, { entryId, note: "Undone at the till", idempotencyKey }),
  keep: keepScan,
  takeBackKept: (key) => takeBackScan(({ idempotencyKey }) => idempotencyKey === key),
  signal: (signal) => play(signal, tillChoices()),
  isEveryScanAStamp: () => tillChoices().isEveryScanAStamp,
  mayStamp: may("loyalty:manage"),
  newKey: newIdempotencyKey,
  now: Date.now,
});

/** The turns at this till, and what it shows of them. */
export function useTillFlow(): [TillFlow, TillState] {
  const [state, setState] = useState(nothingShown);
  useLayoutEffect(() => flow.follow(setState), []);
  return [flow, state];
}
