import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import type { WalletPassDetail } from "../../../../../src/cards/pass-schema.js";
import type { User } from "../../../../../src/customers/schema.js";
import { createCalls, newIdempotencyKey } from "../api/calls.js";
import { hasScopes } from "../api/session.js";
import { turns as words } from "../words/en/till.js";
import type { TillCard } from "./found-card.js";
import { play } from "./signal.js";
import { TillFlow } from "./till-flow.js";
import { readTillPreferences } from "./till-preferences.js";
import { queueScan, withdrawScan } from "./till-queue.js";
import { emptyTillState, type TillState } from "./till-state.js";
import { openSnapshot, saveSnapshot } from "./till-storage.js";

/** How long to wait for a response, in milliseconds. After that, the till behaves as if it were offline. */
const WITHIN_MS = 4_000;

/** API calls for the till, with a short timeout. */
const tillCalls = createCalls({ within: WITHIN_MS });

/**
 * Looks up a card by its scanned or typed code.
 * @throws {CallError} with status 404 if there is no such card.
 */
async function cardByCode(code: string): Promise<TillCard> {
  const pass = await tillCalls.passes.lookup(code.trim());
  const { stampProgress: progress, rewardsAvailable } = pass;
  const state = progress === null ? null : { ...progress, rewardsAvailable: rewardsAvailable ?? 0 };
  return { pass, user: await readOwner(pass), state };
}

async function readOwner({ userId }: WalletPassDetail): Promise<User | null> {
  return hasScopes("user:read") ? tillCalls.users.get(userId) : null;
}

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

/** Returns the till's flow and its current state, and rerenders the component when the state changes. */
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
