import { memoryStorage } from "loyalty-kit/memory";
import { expect, it } from "vitest";
import { JudgedSegments } from "../../src/settling/judged-segments.js";
import { openAcme } from "../kit/acme.js";
import { emitting } from "../segments/emitting.js";

const DAY = 86_400_000;

it("judgements are kept of 64 days", async () => {
  const storage = memoryStorage();
  const { acme } = openAcme({ storage });
  await emitting(acme, "young", { operator: "AND", conditions: [{ joined: { withinDays: 3 } }] });
  const state = await storage.transaction(function* (tx) {
    const known = yield* tx.emittingSegments("acme");
    if (known === null) throw new Error("a segment emits events");
    return yield* JudgedSegments.read(tx, "acme", known);
  });
  const first = state.on(0);
  for (let day = 1; day < 64; day += 1) state.on(day * DAY);
  expect(state.on(0)).toBe(first);
  state.on(64 * DAY);
  expect(state.on(0)).not.toBe(first);
  expect(state.on(64 * DAY)).toMatchObject({ at: 64 * DAY, until: 65 * DAY });
});
