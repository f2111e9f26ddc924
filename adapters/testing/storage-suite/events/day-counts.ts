import assert from "node:assert/strict";
import { runStep } from "../../../../src/base/concurrency/step.js";
import { DAY_MS } from "../../../../src/base/values/clock.js";
import { emptyDayCounts, hourNames } from "../../../../src/storage/day-counts.js";
import { someSettings } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

export const dayCounts: Statements = {
  "concurrent counts on the same day are all added up": async (storage, acme) => {
    const count = async (day: number) => {
      await acme.write((tx) => tx.addCounts(day * DAY_MS, { stamps: 1 }));
      await acme.write((tx) => tx.addCounts(6 * DAY_MS, { stamps: 1 }));
    };
    await Promise.all(Array.from({ length: 30 }, (_, at) => count(5 + (at % 3))));
    const { before, days } = await runStep(storage.reader(acme.id).readDayCounts(1, 100));
    assert.deepEqual(before, emptyDayCounts);
    assert.deepEqual(
      days.map(({ stamps }) => stamps),
      [10, 40, 10],
    );
  },

  "counts belong to the day in the settings' time zone, and stay there when the time zone changes": async (
    storage,
    acme,
  ) => {
    const day = 20_000;
    const evening = day * DAY_MS + 20 * 3_600_000;
    const count = () => acme.write((tx) => tx.addCounts(evening, { stamps: 1 }));
    const move = (timeZone: string) => acme.write((tx) => tx.putSettings(someSettings({ timeZone })));
    const readCounts = async () => {
      const { days } = await runStep(storage.reader(acme.id).readDayCounts(1, 100_000));
      return days.map((each) => [each.day - day, each.stamps]);
    };
    await count();
    await move("Asia/Kolkata");
    await count();
    await count();
    assert.deepEqual(await readCounts(), [
      [0, 1],
      [1, 2],
    ]);
    await move("America/Havana");
    await count();
    assert.deepEqual(await readCounts(), [
      [0, 2],
      [1, 2],
    ]);
  },

  "visits are counted in their local hour in the settings' time zone, alongside the other hours of the day":
    async (storage, acme) => {
      const day = 20_000;
      const readHours = async () => {
        const { before, days } = await runStep(storage.reader(acme.id).readDayCounts(day, day + 1));
        const hoursOfDays = days.flatMap((each) =>
          hourNames.flatMap((name, hour) => (each[name] === 0 ? [] : [[each.day - day, hour, each[name]]])),
        );
        return [before.visitsAt23, ...hoursOfDays];
      };
      const visit = (hour: number, visits = 1) =>
        acme.write((tx) => tx.addCounts(day * DAY_MS + hour * 3_600_000, { stamps: 2, visits }));
      await visit(-0.1);
      await visit(9);
      await visit(9.999);
      await visit(23);
      assert.deepEqual(await readHours(), [1, [0, 9, 2], [0, 23, 1]]);
      await acme.write((tx) => tx.putSettings(someSettings({ timeZone: "Asia/Kolkata" })));
      await visit(9);
      await visit(9.5, 0);
      await visit(18.5);
      await visit(18.5, -2);
      assert.deepEqual(await readHours(), [1, [0, 9, 2], [0, 14, 1], [0, 23, 1], [1, 0, -1]]);
    },

  "a rolled-back change of the time zone doesn't move counts to another day": async (storage, acme) => {
    const rolledBack = acme.write(function* (tx) {
      yield* tx.putSettings(someSettings({ timeZone: "Asia/Kolkata" }));
      throw new Error("rolled back");
    });
    await assert.rejects(rolledBack, { message: "rolled back" });
    await acme.write((tx) => tx.addCounts(6 * DAY_MS - 1, { stamps: 1 }));
    const { days } = await runStep(storage.reader(acme.id).readDayCounts(1, 100));
    assert.deepEqual(
      days.map(({ day }) => day),
      [5],
    );
  },
};
