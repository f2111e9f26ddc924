import assert from "node:assert/strict";
import { run } from "../../concurrency/step.js";
import { noCounts } from "../../storage/day-counts.js";
import type { Statements } from "../kit/statements.js";

export const dayCounts: Statements = {
  "what is counted on a day at the same time is all counted": async (storage, acme) => {
    const count = async (day: number) => {
      await acme.write((tx) => tx.countOnDay(acme.id, day, { stamps: 1 }));
      await acme.write((tx) => tx.countOnDay(acme.id, 6, { stamps: 1 }));
    };
    await Promise.all(Array.from({ length: 30 }, (_, at) => count(5 + (at % 3))));
    const { before, days } = await run(storage.countedDays(acme.id, 1, 100));
    assert.deepEqual(before, noCounts);
    assert.deepEqual(
      days.map(({ stamps }) => stamps),
      [10, 40, 10],
    );
  },
};
