import assert from "node:assert/strict";
import { run, type Step } from "../../concurrency/step.js";
import { type CountedDay, type DayCounts, noCounts } from "../../storage/day-counts.js";
import type { StorageReader } from "../../storage/storage-adapter.js";
import type { TestOrganization } from "../kit/organization.js";
import type { Statements } from "../kit/statements.js";

type Count = readonly [day: number, counts: Partial<DayCounts>];

/** Counts, each in a transaction of its own. */
async function count(acme: TestOrganization, ...counted: readonly Count[]): Promise<void> {
  for (const [day, counts] of counted) await acme.write((tx) => tx.countOnDay(acme.id, day, counts));
}

function* all(reader: StorageReader, acme: TestOrganization): Step<readonly CountedDay[]> {
  const { before, days } = yield* reader.countedDays(acme.id, 1, 100);
  assert.deepEqual(before, noCounts);
  return days;
}

const every: DayCounts = {
  members: 1,
  cards: 2,
  stamps: 3,
  rewardsEarned: 4,
  rewardsRedeemed: 5,
  installsApple: 6,
  installsGoogle: 7,
  installsOther: 8,
};

export const dayCounts: Statements = {
  "the numbers of a day are the sums of what was added": async (storage, acme) => {
    await count(acme, [7, every], [7, { stamps: 40, members: -3 }], [7, {}]);
    assert.deepEqual(await run(all(storage, acme)), [{ day: 7, ...every, members: -2, stamps: 43 }]);
  },

  "days come in their order, in whichever they were counted on": async (storage, acme) => {
    await count(acme, [8, { stamps: 1 }], [9, { stamps: 2 }], [7, { stamps: 3 }], [9, { stamps: 4 }]);
    await count(acme, [8, { stamps: 5 }], [7, { cards: 6 }], [10, every], [9, { stamps: 7 }]);
    assert.deepEqual(await run(all(storage, acme)), [
      { day: 7, ...noCounts, stamps: 3, cards: 6 },
      { day: 8, ...noCounts, stamps: 6 },
      { day: 9, ...noCounts, stamps: 13 },
      { day: 10, ...every },
    ]);
  },

  "days before are in the sums before, and later ones in none": async (storage, acme) => {
    await count(acme, [5, every], [6, { stamps: 10 }], [8, { stamps: 100 }], [9, { stamps: 1_000 }]);
    for (const [from, to, stampsBefore, days] of [
      [1, 4, 0, []],
      [6, 8, 3, [6, 8]],
      [7, 7, 13, []],
      [9, 9, 113, [9]],
      [10, 20, 1_113, []],
    ] as const) {
      const counted = await run(storage.countedDays(acme.id, from, to));
      assert.equal(counted.before.stamps, stampsBefore);
      assert.deepEqual(
        counted.days.map(({ day }) => day),
        days,
      );
    }
  },

  "a transaction reads what it has counted, and counts several days": async (storage, acme) => {
    await count(acme, [5, { stamps: 1 }]);
    await acme.write(function* (tx) {
      yield* tx.countOnDay(acme.id, 6, { stamps: 1 });
      yield* tx.countOnDay(acme.id, 5, { stamps: 1 });
      yield* tx.countOnDay(acme.id, 7, { stamps: 1 });
      yield* tx.countOnDay(acme.id, 6, { stamps: 1 });
      assert.deepEqual(
        (yield* all(tx, acme)).map(({ stamps }) => stamps),
        [2, 2, 1],
      );
    });
    assert.deepEqual(
      (await run(all(storage, acme))).map(({ stamps }) => stamps),
      [2, 2, 1],
    );
  },

  "what is counted at the same time is all counted": async (storage, acme) => {
    await Promise.all(
      Array.from({ length: 30 }, (_, at) => count(acme, [5 + (at % 3), { stamps: 1 }], [6, { stamps: 1 }])),
    );
    assert.deepEqual(
      (await run(all(storage, acme))).map(({ stamps }) => stamps),
      [10, 40, 10],
    );
  },
};
