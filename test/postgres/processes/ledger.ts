import assert from "node:assert/strict";
import type { Organization, StampEntry } from "loyalty-kit";
import { sumOf } from "../../properties/ledger-sum.js";
import type { PassModel } from "./event-model.js";

/**
 * Checks that a card equals the sum of its entries, and that they match the events.
 * @throws {AssertionError} if something differs.
 */
export async function checkLedger(
  stamps: Organization["stamps"],
  { pass, stamps: stampEvents, completed }: PassModel,
): Promise<void> {
  const state = await stamps.state(pass.id);
  const entries = await listEntries(stamps, pass.id);
  assert.deepEqual(
    state,
    { ...state, ...sumOf(entries, state.maxStamps) },
    "a card is the sum of its entries",
  );
  assert.deepEqual(
    entries.map(({ type, stampsAfter }) => ({ type, currentStamps: stampsAfter })),
    stampEvents.map(({ type, after }) => ({ type, currentStamps: after.currentStamps })),
    "each entry was emitted once",
  );
  assert.equal(completed, state.timesCompleted, "each completion of the card was emitted once");
  const last = stampEvents.at(-1);
  if (last !== undefined) assert.deepEqual(state, last.after);
}

/** Reads the whole ledger, oldest entry first. Checks that each entry begins where the previous one ended. */
async function listEntries(stamps: Organization["stamps"], passId: string): Promise<StampEntry[]> {
  const entries: StampEntry[] = [];
  for (let page = 0; ; page += 1) {
    const { content, totalElements } = await stamps.history(passId, { page, size: 200 });
    entries.push(...content);
    if (content.length === 0) {
      assert.equal(entries.length, totalElements);
      break;
    }
  }
  entries.reverse();
  for (const [at, { stampsBefore }] of entries.entries()) {
    assert.equal(
      stampsBefore,
      entries[at - 1]?.stampsAfter ?? 0,
      "an entry begins where the previous one ended",
    );
  }
  return entries;
}
