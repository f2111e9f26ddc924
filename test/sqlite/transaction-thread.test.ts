import fc from "fast-check";
import { CompiledQuery } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";
import { SqliteDatabase, type Synchronous } from "../../adapters/storage/sqlite/database.js";
import { runStep } from "../../src/base/concurrency/step.js";
import { otherProgram } from "./open-storage.js";
import { createTemporaryFile } from "./temporary-file.js";

const large = { isLarge: true };

/** Opens a database in a new file with the table `things`, and another program's connection to it. */
async function openThings(synchronous: Synchronous = "NORMAL") {
  const file = createTemporaryFile();
  const database = await SqliteDatabase.open(file, synchronous);
  onTestFinished(() => database.close());
  const other = otherProgram(file);
  other.exec("create table things (place integer primary key, value unique)");
  return { database, other };
}

const insertThing = (place: number, value: unknown) =>
  CompiledQuery.raw("insert into things values (?, ?)", [place, value]);
const placesAndValues = CompiledQuery.raw("select place, value from things order by place");

/** Every kind of value that SQLite stores. */
const values = fc.oneof(
  fc.constant(null),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true }),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.uint8Array({ maxLength: 3_000 }),
  // A view of a longer array.
  fc.uint8Array({ minLength: 3, maxLength: 300 }).map((bytes) => bytes.subarray(1, -1)),
);

describe("a statement of a large transaction", () => {
  it("writes and reads every value like one of a small transaction", async () => {
    const { database, other } = await openThings();
    const storedValues = other.prepare("select typeof(value), quote(value) from things order by place").raw();
    const run = async (valueList: readonly unknown[], options: { readonly isLarge?: boolean }) => {
      const rows = await database.transaction(function* (session) {
        yield* session.change(CompiledQuery.raw("delete from things"));
        yield* session.changeEach(valueList.map((value, place) => insertThing(place, value)));
        return yield* session.all<{ place: number; value: unknown }>(placesAndValues);
      }, options);
      const plain = rows.map(({ place, value }) => [place, value instanceof Uint8Array ? [...value] : value]);
      return { plain, names: rows.map(Object.keys), stored: storedValues.all() };
    };
    const lists = fc.uniqueArray(values, { maxLength: 60, selector: String });
    await fc.assert(
      fc.asyncProperty(lists, async (valueList) => {
        expect(await run(valueList, large)).toEqual(await run(valueList, {}));
      }),
      { numRuns: 15 },
    );
  });

  it("returns how many rows each change affected", async () => {
    const { database } = await openThings();
    const counts = await database.transaction(function* (session) {
      const each = yield* session.changeEach([1, 2, 3].map((place) => insertThing(place, place)));
      const all = yield* session.change(CompiledQuery.raw("update things set value = value + 10"));
      return [...each, all, yield* session.change(CompiledQuery.raw("delete from things where place > 5"))];
    }, large);
    expect(counts).toEqual([1, 1, 1, 3, 0]);
  });

  it("fails with SQLite's own error, including its code", async () => {
    const { database } = await openThings();
    const writing = database.transaction(function* (session) {
      yield* session.changeEach([insertThing(1, "same"), insertThing(2, "same")]);
    }, large);
    await expect(writing).rejects.toMatchObject({
      name: "SqliteError",
      code: "SQLITE_CONSTRAINT_UNIQUE",
      message: "UNIQUE constraint failed: things.value",
    });
    expect(await runStep(database.session.all(placesAndValues))).toEqual([]);
  });

  it("that is deferred runs in its order", async () => {
    const { database } = await openThings();
    const rows = await database.transaction(function* (session) {
      for (let place = 0; place < 10; place += 1) yield* session.changeDeferred([insertThing(place, place)]);
      yield* session.change(CompiledQuery.raw("delete from things where place = 9"));
      return yield* session.all<{ place: number }>(placesAndValues);
    }, large);
    expect(rows.map(({ place }) => place)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it.each(["the commit", "the statement after it"])(
    "that is deferred makes %s fail if it fails",
    async (later) => {
      const { database } = await openThings();
      const writing = database.transaction(function* (session) {
        yield* session.change(insertThing(1, "same"));
        yield* session.changeDeferred([insertThing(2, "same")]);
        if (later !== "the commit") yield* session.change(insertThing(3, "another"));
      }, large);
      await expect(writing).rejects.toMatchObject({ code: "SQLITE_CONSTRAINT_UNIQUE" });
      expect(await runStep(database.session.all(placesAndValues))).toEqual([]);
    },
  );

  it("fails if its values can't be cloned, and later transactions work", async () => {
    const { database } = await openThings();
    const writing = database.transaction(function* (session) {
      yield* session.change(insertThing(1, () => "a function"));
    }, large);
    await expect(writing).rejects.toThrow("could not be cloned");
    await database.transaction((session) => session.change(insertThing(1, "a text")), large);
    expect(await runStep(database.session.all(placesAndValues))).toEqual([{ place: 1, value: "a text" }]);
  });

  it("doesn't block the event loop while it runs", async () => {
    const { database } = await openThings();
    const turns = await database.transaction(function* (session) {
      let turns = 0;
      let next = setImmediate(function turn() {
        turns += 1;
        next = setImmediate(turn);
      });
      yield* session.all(
        CompiledQuery.raw(
          "with recursive n (n) as (select 1 union all select n + 1 from n where n < 500000) select max(n) from n",
        ),
      );
      clearImmediate(next);
      return turns;
    }, large);
    expect(turns).toBeGreaterThan(20);
  });
});

describe("the connection of a large transaction", () => {
  it.each([
    { synchronous: "FULL", level: 2 },
    { synchronous: "NORMAL", level: 1 },
  ] as const)("uses the storage's synchronous setting: $synchronous", async ({ synchronous, level }) => {
    const { database } = await openThings(synchronous);
    const found = await database.transaction(
      (session) => session.all(CompiledQuery.raw("pragma synchronous")),
      large,
    );
    expect(found).toEqual([{ synchronous: level }]);
  });

  it("enforces foreign keys, and leaves checkpoints to the storage", async () => {
    const { database } = await openThings();
    const found = await database.transaction(function* (session) {
      return [
        yield* session.all(CompiledQuery.raw("pragma foreign_keys")),
        yield* session.all(CompiledQuery.raw("pragma wal_autocheckpoint")),
      ];
    }, large);
    expect(found).toEqual([[{ foreign_keys: 1 }], [{ wal_autocheckpoint: 0 }]]);
  });
});
