import fc from "fast-check";
import type { StorageReader, StorageTransaction } from "loyalty-kit/storage";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { someTagRemoval } from "../../adapters/testing/storage-suite/kit/records.js";
import { runStep, type Step } from "../../src/base/concurrency/step.js";
import { storedRuns } from "../properties/runs.js";
import { createStorage } from "./new-storage.js";
import { open } from "./open-storage.js";
import { addTag, addUser } from "./records.js";
import { createTemporaryFile } from "./temporary-file.js";

// Transactions share a commit for some milliseconds. Here no time passes, so that all of them share one.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
});

afterEach(() => {
  vi.useRealTimers();
});

const MOST = 100;
let count = 0;

function* readVip(reader: StorageReader) {
  const tags = yield* reader.listTags();
  return tags.find(({ slug }) => slug === "vip");
}

const changes = {
  *add(tx: StorageTransaction): Step<void> {
    yield* addUser(tx);
  },
  *count(tx: StorageTransaction): Step<void> {
    yield* tx.addCounts(20_000 * 86_400_000, { members: 1 });
  },
  *assign(tx: StorageTransaction): Step<void> {
    const tag = (yield* readVip(tx)) ?? (yield* addTag(tx, "vip"));
    count += 1;
    const assignment = { id: `uta_${count}`, userOrdinal: count % 3, tagOrdinal: tag.ordinal, createdAt: 1 };
    const has = yield* tx.usersOfTag(tag.ordinal, -1, MOST);
    if (has.some(({ ordinal }) => ordinal === assignment.userOrdinal)) {
      yield* tx.unassignTag(assignment.userOrdinal, tag.ordinal);
    } else {
      yield* tx.assignTag(assignment);
    }
  },
  *read(tx: StorageTransaction): Step<void> {
    expect((yield* tx.verifyTagSets()).wrong).toEqual([]);
  },
  *drop(tx: StorageTransaction): Step<void> {
    const tag = yield* readVip(tx);
    if (tag !== undefined) yield* tx.removeTag(someTagRemoval(tag));
  },
};

const names = ["add", "count", "assign", "read", "drop"] as const;

describe("transactions that share a commit", () => {
  const transactions = fc.array(
    fc.record({
      made: fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 4 }),
      fails: fc.boolean(),
    }),
    { minLength: 1, maxLength: 12 },
  );

  it("leave counters and sets as the successful ones made them, whatever the others did and read", async () => {
    await fc.assert(
      fc.asyncProperty(transactions, async (transactionList) => {
        const file = createTemporaryFile();
        const storage = await createStorage(file);
        onTestFinished(() => storage.close());
        await storage.transaction("acme", function* (tx) {
          for (let user = 0; user < 3; user += 1) yield* addUser(tx);
        });
        const outcomes = await Promise.allSettled(
          transactionList.map(({ made, fails }) =>
            storage.transaction("acme", function* (tx) {
              for (const name of made) yield* changes[name](tx);
              if (fails) throw new Error("failed");
            }),
          ),
        );
        expect(outcomes.map(({ status }) => status === "rejected")).toEqual(
          transactionList.map(({ fails }) => fails),
        );
        const committedNames = transactionList.filter(({ fails }) => !fails).flatMap(({ made }) => made);
        const countName = (wantedName: string) => committedNames.filter((name) => name === wantedName).length;
        for (const reader of [storage, await open(file)]) {
          const users = await runStep(reader.reader("acme").listUsers(-1, MOST));
          const ordinals = users.map(({ ordinal }) => ordinal);
          expect(ordinals).toEqual(Array.from({ length: 3 + countName("add") }, (_, at) => at));
          const { users: all, tags } = await runStep(reader.reader("acme").readTagSets(["vip"]));
          expect(all.slice(0, MOST)).toEqual(ordinals);
          const tag = await runStep(readVip(reader.reader("acme")));
          const holders =
            tag === undefined ? [] : await runStep(reader.reader("acme").usersOfTag(tag.ordinal, -1, MOST));
          expect(tags.get("vip")?.slice(0, MOST) ?? []).toEqual(holders.map(({ ordinal }) => ordinal));
          const { days } = await runStep(reader.reader("acme").readDayCounts(20_000, 20_000));
          expect(days.map(({ members }) => members)).toEqual(
            countName("count") > 0 ? [countName("count")] : [],
          );
        }
      }),
      storedRuns(40),
    );
  });
});
