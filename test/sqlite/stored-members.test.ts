import fc from "fast-check";
import type { StorageAdapter } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import type { StorageTransaction } from "loyalty-kit/storage";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { someSegment } from "../../adapters/testing/storage-suite/kit/segment-records.js";
import { runStep, type Step } from "../../src/base/concurrency/step.js";
import { Bitmap } from "../../src/storage/bitmap.js";
import { storedRuns } from "../properties/runs.js";
import { createStorage } from "./new-storage.js";
import { open } from "./open-storage.js";
import { createTemporaryFile } from "./temporary-file.js";

// Transactions share a commit for some milliseconds. Here no time passes, so that all of them share one.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
});

afterEach(() => {
  vi.useRealTimers();
});

const segments = ["a", "b"].map((slug) => someSegment({ id: `seg_${slug}`, slug, emitsEvents: true }));
const DAY = 20_000;
const ALL = 100_000;

/** Ordinals next to the boundaries of slices and chunks. */
const ordinals = [0, 1, 1_023, 1_024, 15_359, 15_360, 40_000];

const segment = fc.constantFrom(...segments);
const some = fc.uniqueArray(fc.constantFrom(...ordinals), { maxLength: 4 });

const day = fc.constantFrom(null, DAY - 1, DAY, DAY + 1);

type Change = (tx: StorageTransaction) => Step<unknown>;

const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(segment, some, fc.boolean(), day).map(([{ id }, users, isMember, day]) => {
      const work: Change = function* (tx) {
        if (!(yield* isThere(tx, id))) return null;
        return yield* tx.changeSegmentMembers(id, users, isMember, day);
      };
      return nameChange(`change ${id} ${users} ${isMember} ${day}`, work);
    }),
  },
  {
    weight: 2,
    arbitrary: segment.map(({ id }) =>
      nameChange(`note ${id}`, function* (tx) {
        if (!(yield* isThere(tx, id))) return;
        yield* tx.recordMemberCount(id, DAY, 5);
      }),
    ),
  },
  fc.tuple(segment, some).map(([{ id }, users]) =>
    nameChange(`put ${id} ${users}`, function* (tx) {
      if (yield* isThere(tx, id)) yield* tx.putSegmentMembers(id, Bitmap.of(users));
    }),
  ),
  segment.map((one) =>
    nameChange(`read ${one.id}`, function* (tx) {
      const members = (yield* tx.segmentMembers(one.id)).slice(0, ALL);
      return [members, yield* tx.segmentDays(one.id, DAY - 1, DAY + 1)];
    }),
  ),
  segment.map((one) => nameChange(`delete ${one.id}`, (tx) => tx.deleteSegment(one.id))),
  segment.map((one) =>
    nameChange(`insert ${one.id}`, function* (tx) {
      if (!(yield* isThere(tx, one.id))) yield* tx.insertSegment(one);
    }),
  ),
  fc
    .tuple(segment, fc.boolean())
    .map(([one, emitsEvents]) =>
      nameChange(`update ${one.id} ${emitsEvents}`, (tx) => tx.updateSegment({ ...one, emitsEvents })),
    ),
);

function nameChange(name: string, work: Change): Change {
  return Object.assign((tx: StorageTransaction) => work(tx), { [fc.toStringMethod]: () => name });
}

function* isThere(tx: StorageTransaction, id: string): Step<boolean> {
  return (yield* tx.listSegments()).some((one) => one.id === id && one.emitsEvents);
}

interface ChangeList {
  readonly changes: readonly Change[];
  readonly fails: boolean;
}

const arbitraryTransactions: fc.Arbitrary<ChangeList[]> = fc.array(
  fc.record({ changes: fc.array(change, { minLength: 1, maxLength: 5 }), fails: fc.boolean() }),
  { minLength: 1, maxLength: 12 },
);

/** Collects the results of a transaction's calls, even if it fails. */
async function collectAnswers(storage: StorageAdapter, { changes, fails }: ChangeList): Promise<unknown[]> {
  const answers: unknown[] = [];
  await storage
    .transaction("acme", function* (tx) {
      answers.length = 0;
      for (const work of changes) answers.push(yield* work(tx));
      if (fails) throw new Error("failed");
    })
    .catch((error: unknown) => answers.push(String(error)));
  return answers;
}

const readState = (storage: StorageAdapter) =>
  Promise.all(
    segments.map(async ({ id }) => [
      (await runStep(storage.reader("acme").segmentMembers(id))).slice(0, ALL),
      await runStep(storage.reader("acme").segmentDays(id, DAY - 1, DAY + 1)),
    ]),
  );

describe("stored segment members, changed by transactions that share a commit,", () => {
  it("are the same as if the successful ones had run in sequence, whatever the others did and read", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryTransactions, async (transactions) => {
        const file = createTemporaryFile();
        const [storage, oracle] = [await createStorage(file), memoryStorage()];
        onTestFinished(() => storage.close());
        for (const each of [storage, oracle])
          await each.transaction("acme", function* (tx) {
            for (const one of segments) yield* tx.insertSegment(one);
          });
        const expected: unknown[][] = [];
        for (const each of transactions) expected.push(await collectAnswers(oracle, each));
        expect(await Promise.all(transactions.map((each) => collectAnswers(storage, each)))).toEqual(
          expected,
        );
        for (const reader of [storage, await open(file)])
          expect(await readState(reader)).toEqual(await readState(oracle));
      }),
      storedRuns(60),
    );
  });
});
