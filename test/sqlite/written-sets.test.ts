import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WrittenSets } from "../../adapters/storage/kysely/segments/segment-cache.js";
import { runStep } from "../../src/base/concurrency/step.js";
import { emptyChunk, setBit } from "../../src/storage/bitmap.js";
import { storedRuns } from "../properties/runs.js";
import { open, otherProgram } from "./open-storage.js";
import { addTag, addUsers } from "./records.js";
import { createTemporaryFile } from "./temporary-file.js";

const USERS = 6;

const createChunk = (ordinal: number) => {
  const bits = emptyChunk();
  setBit(bits, ordinal);
  return bits;
};

describe("the sets that a transaction wrote", () => {
  it("are returned as one change each, from the first version to the last", () => {
    const sets = new WrittenSets();
    const [a, b, c] = [createChunk(1), createChunk(2), createChunk(3)];
    sets.add("acme", 1, 5, new Map([[0, a]]));
    sets.add("acme", 2, 9, new Map([[0, a]]));
    sets.add(
      "acme",
      1,
      6,
      new Map([
        [0, b],
        [3, c],
      ]),
    );
    expect([...sets]).toEqual([
      {
        organizationId: "acme",
        setId: 1,
        before: 4,
        version: 6,
        chunks: new Map([
          [0, b],
          [3, c],
        ]),
      },
      { organizationId: "acme", setId: 2, before: 8, version: 9, chunks: new Map([[0, a]]) },
    ]);
  });

  it("are returned from the version where they continue, if something else changed them in between", () => {
    const sets = new WrittenSets();
    sets.add("acme", 1, 5, new Map([[0, createChunk(1)]]));
    sets.add("acme", 1, 8, new Map([[1, createChunk(2)]]));
    expect([...sets]).toMatchObject([{ before: 7, version: 8, chunks: new Map([[1, createChunk(2)]]) }]);
  });

  it("are dropped if there are more than a thousand", () => {
    const sets = new WrittenSets();
    for (let at = 0; at < 1_001; at += 1) sets.add("acme", at, 1, new Map([[0, createChunk(at)]]));
    sets.add("acme", 1, 2, new Map([[0, createChunk(1)]]));
    expect([...sets]).toEqual([]);
  });
});

describe("cached sets", () => {
  it("reflect the process's own commits without being read again", async () => {
    const file = createTemporaryFile();
    const storage = await open(file);
    await addUsers(storage, USERS);
    const vip = await storage.transaction("acme", (tx) => addTag(tx, "vip"));
    const assignTag = (userOrdinal: number) =>
      storage.transaction("acme", (tx) =>
        tx.assignTag({
          id: `uta_${userOrdinal}`,
          userOrdinal,
          tagOrdinal: vip.ordinal,
          createdAt: 1,
        }),
      );
    const listHolders = async () => {
      const { tags } = await runStep(storage.reader("acme").readTagSets(["vip"]));
      return tags.get("vip")?.slice(0, USERS);
    };
    await assignTag(1);
    expect(await listHolders()).toEqual([1]);
    await assignTag(4);
    // Versions stay the same, so a storage that reads the bits would see that they are lost.
    otherProgram(file).exec(
      "update loyalty_segment_chunks set bits = zeroblob(length(bits)) where set_id = 1",
    );
    expect(await listHolders()).toEqual([1, 4]);
  });

  it("are correct whichever storage wrote, and after rollbacks", async () => {
    const steps = fc.array(
      fc.record({
        by: fc.nat({ max: 1 }),
        read: fc.nat({ max: 1 }),
        users: fc.uniqueArray(fc.nat({ max: USERS - 1 }), { minLength: 1, maxLength: 3 }),
        fails: fc.boolean(),
      }),
      { minLength: 1, maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (stepList) => {
        const file = createTemporaryFile();
        const storages = [await open(file), await open(file)] as const;
        await addUsers(storages[0], USERS);
        const vip = await storages[0].transaction("acme", (tx) => addTag(tx, "vip"));
        const holders = new Set<number>();
        for (const { by, read, users, fails } of stepList) {
          const failure = new Error("rolled back");
          const change = storages[by === 0 ? 0 : 1].transaction("acme", function* (tx) {
            for (const userOrdinal of users) {
              const assignment = {
                id: `uta_${userOrdinal}`,
                userOrdinal,
                tagOrdinal: vip.ordinal,
                createdAt: 1,
              };
              if (holders.has(userOrdinal)) yield* tx.unassignTag(userOrdinal, vip.ordinal);
              else yield* tx.assignTag(assignment);
              // Writes the sets so far.
              yield* tx.readTagSets(["vip"]);
            }
            if (fails) throw failure;
          });
          if (fails) await expect(change).rejects.toBe(failure);
          else {
            await change;
            for (const user of users) if (!holders.delete(user)) holders.add(user);
          }
          const { tags } = await runStep(storages[read === 0 ? 0 : 1].reader("acme").readTagSets(["vip"]));
          expect(tags.get("vip")?.slice(0, USERS)).toEqual([...holders].sort((a, b) => a - b));
        }
      }),
      storedRuns(25),
    );
  });
});
