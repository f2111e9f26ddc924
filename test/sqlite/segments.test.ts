import fc from "fast-check";
import type { StorageAdapter } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { someTagRemoval } from "../../adapters/testing/storage-suite/kit/records.js";
import { runStep } from "../../src/base/concurrency/step.js";
import { open, otherProgram } from "./open-storage.js";
import { addTag, addUsers, assign } from "./records.js";
import { createTemporaryFile } from "./temporary-file.js";

/**
 * Statements that damage the set of "vip" (number 1) or of all users (number 0) without the storage noticing.
 */
const damages = [
  {
    name: "lost bits",
    sql: "update loyalty_segment_chunks set bits = zeroblob(length(bits)) where set_id = 1",
    wrong: ["vip"],
  },
  {
    name: "a lost chunk",
    sql: "delete from loyalty_segment_chunks where set_id = 1 and chunk = 0",
    wrong: ["vip"],
  },
  {
    name: "a stray chunk",
    sql: `insert into loyalty_segment_chunks
          select organization_id, set_id, 9, version, bits from loyalty_segment_chunks where set_id = 1`,
    wrong: ["vip"],
  },
  { name: "a lost set", sql: "delete from loyalty_segment_sets where set_id = 1", wrong: ["vip"] },
  {
    name: "a lost set whose chunks stay",
    sql: "pragma foreign_keys = off; delete from loyalty_segment_sets where set_id = 1",
    wrong: ["vip"],
  },
  {
    name: "the bits of another set",
    sql: `update loyalty_segment_chunks set bits = (select bits from loyalty_segment_chunks where set_id = 1) where set_id = 0`,
    wrong: [null],
  },
  { name: "no sets at all", sql: "delete from loyalty_segment_sets", wrong: [null, "vip"] },
];

/** Adds 20 users, every third of whom has the tag "vip". */
async function createRowsAndTags(storage: StorageAdapter): Promise<void> {
  await addUsers(storage, 20);
  await storage.transaction("acme", function* (tx) {
    const vip = yield* addTag(tx, "vip");
    for (let ordinal = 0; ordinal < 20; ordinal += 3) yield* assign(tx, ordinal, vip);
  });
}

describe("damaged sets", () => {
  it.each(damages)("$name: found by a check, and repaired by a rebuild", async ({ sql, wrong }) => {
    const file = createTemporaryFile();
    const storage = await open(file);
    await createRowsAndTags(storage);
    const before = await listOrdinals(storage, "vip");
    expect(await runStep(storage.reader("acme").verifyTagSets())).toEqual({ checked: 2, wrong: [] });
    otherProgram(file).exec(sql);
    expect(await runStep(storage.reader("acme").verifyTagSets())).toEqual({ checked: 2, wrong });
    await storage.transaction("acme", (tx) => tx.rebuildTagSets());
    expect(await runStep(storage.reader("acme").verifyTagSets())).toEqual({ checked: 2, wrong: [] });
    const another = await open(file);
    expect(await listOrdinals(another, "vip")).toEqual(before);
  });

  it("are also repaired for storages that have already read them", async () => {
    const file = createTemporaryFile();
    const storage = await open(file);
    await createRowsAndTags(storage);
    const before = await listOrdinals(storage, "vip");
    otherProgram(file).exec(
      "update loyalty_segment_chunks set bits = zeroblob(length(bits)) where set_id = 1",
    );
    const reader = await open(file);
    expect((await listOrdinals(reader, "vip")).tagged).toEqual([]);
    await storage.transaction("acme", (tx) => tx.rebuildTagSets());
    expect(await listOrdinals(reader, "vip")).toEqual(before);
    expect(await listOrdinals(storage, "vip")).toEqual(before);
  });

  it("are rebuilt with increasing versions", async () => {
    const file = createTemporaryFile();
    const storage = await open(file);
    await createRowsAndTags(storage);
    const versions = otherProgram(file)
      .prepare<[], number>("select version from loyalty_segment_sets order by set_id")
      .pluck();
    const before = versions.all();
    await storage.transaction("acme", (tx) => tx.rebuildTagSets());
    expect(versions.all()).toEqual(before.map((version) => version + 1));
  });
});

describe("sets that were read before", () => {
  it("reflect every commit of another storage on the file", async () => {
    const users = 30;
    const ordinal = fc.nat(users - 1);
    const change = fc.record({ tag: fc.constantFrom("a", "b"), ordinal, fails: fc.boolean() });
    const history = fc.array(fc.array(change, { minLength: 1, maxLength: 4 }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(history, async (transactions) => {
        const file = createTemporaryFile();
        const [writer, reader] = [await open(file), await open(file)];
        await addUsers(writer, users);
        const tags = await writer.transaction("acme", function* (tx) {
          return {
            a: yield* addTag(tx, "a"),
            b: yield* addTag(tx, "b"),
          };
        });
        let members = { a: new Set<number>(), b: new Set<number>() };
        for (const changes of transactions) {
          const after = { a: new Set(members.a), b: new Set(members.b) };
          const writing = writer.transaction("acme", function* (tx) {
            for (const { tag, ordinal } of changes) {
              if (after[tag].delete(ordinal)) yield* tx.unassignTag(ordinal, tags[tag].ordinal);
              else {
                after[tag].add(ordinal);
                yield* assign(tx, ordinal, tags[tag]);
              }
              const inside = (yield* tx.readTagSets([tag])).tags.get(tag);
              expect(inside?.slice(0, users)).toEqual(sortOrdinals(after[tag]));
            }
            if (changes.some(({ fails }) => fails)) throw new Error("rolled back");
          });
          if (changes.some(({ fails }) => fails)) await expect(writing).rejects.toThrow("rolled back");
          else {
            await writing;
            members = after;
          }
          for (const storage of [reader, writer]) {
            const { tags: tagSets } = await runStep(storage.reader("acme").readTagSets(["a", "b"]));
            expect(tagSets.get("a")?.slice(0, users)).toEqual(sortOrdinals(members.a));
            expect(tagSets.get("b")?.slice(0, users)).toEqual(sortOrdinals(members.b));
          }
        }
        await Promise.all([writer.close(), reader.close()]);
      }),
      { numRuns: 15 },
    );
  });

  it("aren't mistaken for the set of a new tag with the old slug", async () => {
    const file = createTemporaryFile();
    const [writer, reader] = [await open(file), await open(file)];
    await createRowsAndTags(writer);
    expect((await listOrdinals(reader, "vip")).tagged).toHaveLength(7);
    await writer.transaction("acme", function* (tx) {
      const vip = yield* tx.findTag("vip");
      if (vip !== null) yield* tx.removeTag(someTagRemoval(vip));
      yield* assign(tx, 5, yield* addTag(tx, "vip"));
    });
    expect((await listOrdinals(reader, "vip")).tagged).toEqual([5]);
    expect((await listOrdinals(writer, "vip")).tagged).toEqual([5]);
  });

  it("are replaced if the file is older, as after a restore", async () => {
    const file = createTemporaryFile();
    const storage = await open(file);
    await createRowsAndTags(storage);
    await listOrdinals(storage, "vip");
    otherProgram(file).exec(
      `update loyalty_segment_sets set version = 2 where set_id = 1;
       update loyalty_segment_chunks set version = 2, bits = zeroblob(length(bits)) where set_id = 1`,
    );
    expect((await listOrdinals(storage, "vip")).tagged).toEqual([]);
    expect((await listOrdinals(storage, "vip")).tagged).toEqual([]);
  });

  it("come from one committed state when they are read together", async () => {
    const file = createTemporaryFile();
    const [writer, reader] = [await open(file), await open(file)];
    await addUsers(writer, 20);
    const [here, there] = await writer.transaction("acme", function* (tx) {
      return [yield* addTag(tx, "here"), yield* addTag(tx, "there")];
    });
    const moving = (async () => {
      for (let ordinal = 0; ordinal < 20; ordinal += 1) {
        await writer.transaction("acme", function* (tx) {
          if (here !== undefined) yield* assign(tx, ordinal, here);
          if (there !== undefined) yield* assign(tx, ordinal, there);
        });
      }
    })();
    for (let look = 0; look < 40; look += 1) {
      const { tags } = await runStep(reader.reader("acme").readTagSets(["here", "there"]));
      expect(tags.get("here")?.count()).toBe(tags.get("there")?.count());
    }
    await moving;
  });
});

async function listOrdinals(storage: StorageAdapter, slug: string) {
  const { users, tags } = await runStep(storage.reader("acme").readTagSets([slug]));
  return { everybody: users.slice(0, 100), tagged: tags.get(slug)?.slice(0, 100) ?? [] };
}

function sortOrdinals(ordinals: Set<number>): number[] {
  return [...ordinals].sort((a, b) => a - b);
}
