import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ChangesWithoutEvent } from "../../adapters/storage/kysely/change/commit-buffer.js";
import { ChangeLog } from "../../adapters/storage/kysely/columns/change-log.js";
import { ChangeTimes } from "../../adapters/storage/kysely/columns/change-times.js";
import {
  type Match,
  matchesValue,
  UserColumn,
  type Value,
} from "../../adapters/storage/kysely/columns/column.js";
import { ColumnCache } from "../../adapters/storage/kysely/columns/column-cache.js";
import { Bitmap, CHUNK_SIZE } from "../../src/storage/bitmap.js";
import { runs } from "../properties/runs.js";

const numbers = fc.oneof(
  fc.integer({ min: 0, max: 300 }),
  fc.constantFrom(-1, 0, 254, 255, 2 ** 31 - 3, 2 ** 31 - 2, 2 ** 31 - 1, 2 ** 53 - 1, 0.5, -2.5, -0),
);
const ordinals = fc.oneof(
  fc.integer({ min: 0, max: 40 }),
  fc.constantFrom(CHUNK_SIZE - 1, CHUNK_SIZE, 3 * CHUNK_SIZE + 7),
);
const texts = fc.constantFrom("a", "b", "de", "de-AT", "den");

const matches: fc.Arbitrary<Match> = fc.oneof(
  fc.record({
    is: fc.constant("within" as const),
    from: fc.oneof(numbers, fc.constant(Number.NEGATIVE_INFINITY)),
    to: fc.oneof(numbers, fc.constant(Number.POSITIVE_INFINITY)),
  }),
  fc
    .uniqueArray(fc.integer({ min: 0, max: 300 }))
    .map((list): Match => ({ is: "one of", numbers: new Set(list) })),
);

const changeAt = (position: number, ordinal: number) => ({ position, ordinal });

describe("a column", () => {
  const expectAgreement = (values: fc.Arbitrary<Value[]>, arbitraryMatch: fc.Arbitrary<Match>) =>
    fc.property(fc.array(fc.tuple(ordinals, values)), fc.array(arbitraryMatch), (puts, all) => {
      const column = new UserColumn(0);
      const model = new Map<number, readonly Value[]>();
      for (const [ordinal, list] of puts) {
        column.put(ordinal, list);
        model.set(ordinal, list);
      }
      for (const match of all) {
        const found = column.findMatches(match);
        const expected = [...model]
          .filter(([, list]) => list.some((value) => matchesValue(match, value)))
          .map(([ordinal]) => ordinal);
        expect(found?.slice(0, found.count())).toEqual(expected.sort((one, other) => one - other));
      }
    });

  it("finds users with a number within bounds, for any number and any count of values", () => {
    fc.assert(expectAgreement(fc.array(numbers, { maxLength: 7 }), matches), runs(200));
  });

  it("finds users with a text, and users with a text that begins with a language", () => {
    const textMatches = fc.oneof(
      texts.map((text): Match => ({ is: "text", text })),
      texts.map((language): Match => ({ is: "language", language })),
    );
    fc.assert(expectAgreement(fc.array(texts, { maxLength: 2 }), textMatches), runs(200));
  });

  it("finds matching users, or their complement, in any state and after any changes", () => {
    const states = [[], [0, 1, 2, 3, 40, CHUNK_SIZE], [...Array(41).keys(), 3 * CHUNK_SIZE + 7]];
    const users = states.map((state) => Bitmap.of(state));
    const writes = fc.record({ ordinal: ordinals, list: fc.array(numbers, { maxLength: 5 }) });
    const ask = fc.record({ nth: fc.nat(), state: fc.nat({ max: 2 }), isOpposite: fc.boolean() });
    const history = fc.array(fc.oneof(writes, ask), { maxLength: 60 });
    // More conditions than the cache can hold.
    const conditions = fc.array(matches, { minLength: 1, maxLength: 12 });
    const property = fc.property(conditions, history, (conditions, steps) => {
      const column = new UserColumn(0);
      const model = new Map<number, readonly Value[]>();
      for (const step of steps) {
        if ("list" in step) {
          column.put(step.ordinal, step.list);
          model.set(step.ordinal, step.list);
          continue;
        }
        const match = conditions[step.nth % conditions.length];
        const [among, state] = [users[step.state], states[step.state]];
        if (match === undefined || among === undefined) throw new RangeError("nothing is asked");
        const found = column.filterUsers(among, match, step.isOpposite);
        const isIn = (ordinal: number) =>
          (model.get(ordinal) ?? []).some((value) => matchesValue(match, value));
        expect(found?.slice(0, found.count())).toEqual(
          state?.filter((ordinal) => isIn(ordinal) !== step.isOpposite),
        );
      }
    });
    fc.assert(property, runs(300));
  });

  it("finds matching users after more changes than it logs", () => {
    const column = new UserColumn(0);
    const match: Match = { is: "within", from: 5, to: 5 };
    column.put(0, [5]);
    expect(column.findMatches(match)?.count()).toBe(1);
    for (let round = 1; round <= 3; round += 1) {
      for (let ordinal = 1; ordinal <= 1_500; ordinal += 1) column.put(ordinal, [ordinal % 2 ? 5 : round]);
      expect(column.findMatches(match)?.count()).toBe(751);
    }
  });

  it("caches matches in no more memory than the values take", () => {
    const column = new UserColumn(0);
    for (let chunk = 0; chunk < 5; chunk += 1) column.put(chunk * CHUNK_SIZE, [chunk]);
    const values = column.bytes;
    const users = Bitmap.of([...Array(6).keys()].map((chunk) => chunk * CHUNK_SIZE));
    for (let to = 0; to < 100; to += 1) {
      const match: Match = { is: "within", from: 0, to };
      expect(column.filterUsers(users, match, false)?.count()).toBe(Math.min(5, to + 1));
      expect(column.filterUsers(users, match, true)?.count()).toBe(Math.max(1, 5 - to));
      expect(column.bytes).toBeLessThanOrEqual(2 * values);
    }
    expect(column.bytes).toBeGreaterThan(1.5 * values);
    column.clearMatchCache();
    expect(column.bytes).toBe(values);
  });

  it("returns null if it has more texts than it can distinguish", () => {
    const column = new UserColumn(0);
    const text = "x".repeat(101);
    expect(column.findMatches({ is: "text", text })?.count()).toBe(0);
    column.put(0, ["a"]);
    column.put(1, [text]);
    expect(column.findMatches({ is: "text", text: "a" })?.count()).toBe(1);
    expect(column.findMatches({ is: "text", text })).toBeNull();
    expect(column.findMatches({ is: "language", language: "a" })).toBeNull();
    const many = new UserColumn(0);
    for (let at = 0; at <= 10_000; at += 1) many.put(at, [`text ${at}`]);
    expect(many.findMatches({ is: "text", text: "text 9999" })?.slice(0, 2)).toEqual([9_999]);
    expect(many.findMatches({ is: "text", text: "text 10000" })).toBeNull();
    expect(many.bytes).toBeLessThan(2_000_000);
  });

  it("takes one byte per user of a chunk while its values are small", () => {
    const column = new UserColumn(0);
    column.put(3, [254]);
    expect(column.bytes).toBe(CHUNK_SIZE);
    column.put(4, [255]);
    expect(column.bytes).toBe(4 * CHUNK_SIZE);
  });
});

describe("the times at which values change", () => {
  const createTimes = (...times: readonly (readonly [ordinal: number, time: number])[]) => {
    const all = new ChangeTimes(100);
    for (const [ordinal, time] of times) all.put(ordinal, time);
    return all;
  };

  it("list users who are due by a time, and return null for an earlier time", () => {
    const times = createTimes([0, 150], [CHUNK_SIZE + 3, 200], [7, Number.POSITIVE_INFINITY]);
    expect(times.listDue(99)).toBeNull();
    expect(times.listDue(149)).toEqual(new Set());
    expect(times.listDue(150)).toEqual(new Set([0]));
    expect(times.listDue(1_000)).toEqual(new Set([0, CHUNK_SIZE + 3]));
    expect([times.isDue(0, 149), times.isDue(0, 150), times.isDue(7, 1_000), times.isDue(9, 1_000)]).toEqual([
      false,
      true,
      false,
      false,
    ]);
  });

  it("continue after the values of due users are stored again", () => {
    const times = createTimes([0, 150], [1, 200]);
    times.put(0, 180);
    times.advance(150);
    expect(times.at).toBe(150);
    expect(times.listDue(100)).toBeNull();
    expect(times.listDue(179)).toEqual(new Set());
    expect(times.listDue(190)).toEqual(new Set([0]));
    times.put(0, Number.POSITIVE_INFINITY);
    times.advance(190);
    expect(times.listDue(199)).toEqual(new Set());
    expect(times.listDue(200)).toEqual(new Set([1]));
  });

  it("return null if more users are due than are computed one by one", () => {
    const many = (count: number) =>
      createTimes(...Array.from({ length: count }, (_, ordinal) => [ordinal, 150] as const));
    expect(many(20_000).listDue(150)?.size).toBe(20_000);
    expect(many(20_001).listDue(150)).toBeNull();
  });

  it("take eight bytes per user of a chunk if any of its values changes, and count toward the column's size", () => {
    const times = new ChangeTimes(0);
    const column = new UserColumn(0, times);
    times.put(3, Number.POSITIVE_INFINITY);
    column.put(3, [1]);
    expect(column.bytes).toBe(CHUNK_SIZE);
    for (let ordinal = 0; ordinal < 2 * CHUNK_SIZE; ordinal += 1) times.put(ordinal, ordinal);
    expect(times.bytes).toBe(2 * CHUNK_SIZE * 8);
    expect(column.bytes).toBe(CHUNK_SIZE + times.bytes);
  });
});

describe("the column cache", () => {
  const buildColumnAt = (position: number) => {
    const column = new UserColumn(position);
    column.put(0, [1]);
    return column;
  };

  it("evicts the least recently used columns", () => {
    const cache = new ColumnCache(3.7 * CHUNK_SIZE);
    const acme = cache.findOrCreate("acme", 0, 1);
    if (acme === null) throw new Error("nothing is kept");
    for (const key of ["a", "b", "c"]) cache.put("acme", acme, key, buildColumnAt(1));
    const first = acme.columns.get("a");
    cache.touch(first === undefined ? [] : [first]);
    cache.put("acme", acme, "d", buildColumnAt(1));
    cache.touch([]);
    expect([...acme.columns.keys()].sort()).toEqual(["a", "c", "d"]);
    expect(cache.bytes).toBeLessThanOrEqual(3.7 * CHUNK_SIZE);
  });

  it("evicts cached matches before columns", () => {
    const cache = new ColumnCache(3.7 * CHUNK_SIZE);
    const acme = cache.findOrCreate("acme", 0, 1);
    if (acme === null) throw new Error("nothing is kept");
    const columns = ["a", "b", "c"].map((key) => {
      const column = buildColumnAt(1);
      cache.put("acme", acme, key, column);
      for (let to = 0; to < 10; to += 1) column.findMatches({ is: "within", from: 0, to });
      return column;
    });
    expect(cache.bytes).toBeGreaterThan(3.7 * CHUNK_SIZE);
    cache.touch(columns);
    expect(acme.columns.size).toBe(3);
    expect(cache.bytes).toBeLessThanOrEqual(3.7 * CHUNK_SIZE);
  });

  it("isn't used for a state with other changes without event, nor for an earlier state", () => {
    const cache = new ColumnCache(1_000_000);
    const before = cache.findOrCreate("acme", 1, 5);
    if (before === null) throw new Error("nothing is kept");
    cache.put("acme", before, "a", buildColumnAt(5));
    const after = cache.findOrCreate("acme", 2, 6);
    expect(after?.columns.size).toBe(0);
    expect(cache.findOrCreate("acme", 1, 5)).toBeNull();
    cache.put("acme", before, "a", buildColumnAt(9));
    expect(cache.findOrCreate("acme", 2, 6)).toBe(after);
    expect(after?.columns.size).toBe(0);
  });

  it("keeps the later of two columns that were read at the same time", () => {
    const cache = new ColumnCache(1_000_000);
    const acme = cache.findOrCreate("acme", 0, 1);
    if (acme === null) throw new Error("nothing is kept");
    const later = buildColumnAt(7);
    cache.put("acme", acme, "a", later);
    cache.put("acme", acme, "a", buildColumnAt(6));
    expect(acme.columns.get("a")).toBe(later);
  });

  it("replaces a column by one of the same state and another time", () => {
    const cache = new ColumnCache(1_000_000);
    const acme = cache.findOrCreate("acme", 0, 1);
    if (acme === null) throw new Error("nothing is kept");
    const createAt = (position: number, time: number) => new UserColumn(position, new ChangeTimes(time));
    const [first, second, older] = [createAt(7, 100), createAt(7, 50), createAt(6, 200)];
    for (const column of [first, second, older, createAt(7, 50)]) cache.put("acme", acme, "a", column);
    expect(acme.columns.get("a")).toBe(second);
  });

  it("holds the columns of a thousand organizations", () => {
    const cache = new ColumnCache(1_000_000_000);
    const first = cache.findOrCreate("0", 0, 0);
    for (let at = 1; at <= 1_000; at += 1) cache.findOrCreate(String(at), 0, 0);
    expect(cache.findOrCreate("0", 0, 0)).not.toBe(first);
  });
});

describe("the change log", () => {
  it("returns the users who changed between two positions, in either order", () => {
    const log = new ChangeLog(10);
    log.extend({ changed: [changeAt(11, 1), changeAt(12, 2), changeAt(14, 1)], hasDeleted: false }, 14);
    log.extend({ changed: [changeAt(12, 3), changeAt(15, 4)], hasDeleted: false }, 15);
    expect(log.listChangedBetween(10, 15)).toEqual(new Set([1, 2, 4]));
    expect(log.listChangedBetween(14, 11)).toEqual(new Set([1, 2]));
    expect(log.listChangedBetween(12, 12)).toEqual(new Set());
    expect(log.listChangedBetween(9, 15)).toBeNull();
    expect(log.listChangedBetween(12, 16)).toBeNull();
  });

  it("returns null for states from before a user was deleted", () => {
    const log = new ChangeLog(10);
    log.extend({ changed: [changeAt(11, 1)], hasDeleted: true }, 12);
    expect(log.listChangedBetween(12, 11)).toBeNull();
    expect(log.listChangedBetween(10, 12)).toEqual(new Set([1]));
  });

  it("drops the oldest changes", () => {
    const log = new ChangeLog(0);
    const many = Array.from({ length: 20_001 }, (_, at) => changeAt(at + 1, at));
    log.extend({ changed: many, hasDeleted: false }, 20_001);
    expect(log.listChangedBetween(0, 20_001)).toBeNull();
    expect(log.listChangedBetween(20_000, 20_001)).toEqual(new Set([20_000]));
    expect(log.bytes).toBeLessThan(500_000);
  });
});

describe("a change without event", () => {
  const eventRow = (data: unknown) => ({ data: JSON.stringify(data) });

  it("is a change of a customer or a pass that none of the transaction's events names", () => {
    const untold = new ChangesWithoutEvent();
    expect(untold.hasUnnamedChanges()).toBe(false);
    untold.addChange("usr_1");
    expect(untold.hasUnnamedChanges()).toBe(true);
    untold.addEvents([eventRow({ id: "usr_12" }), eventRow({ note: '"usr_1"' })]);
    expect(untold.hasUnnamedChanges()).toBe(true);
    untold.addEvents([eventRow({ id: "usr_1" })]);
    expect(untold.hasUnnamedChanges()).toBe(false);
    untold.addChange("someone");
    untold.addEvents([eventRow({ id: "someone" })]);
    expect(untold.hasUnnamedChanges()).toBe(true);
  });

  it("is a deleted pass, unless an event names it together with its user", () => {
    const untold = new ChangesWithoutEvent();
    untold.addRemovedPass("wp_1");
    untold.addEvents([eventRow({ id: "wp_1" }), eventRow({ id: "usr_1" })]);
    expect(untold.hasUnnamedChanges()).toBe(true);
    untold.addEvents([eventRow({ id: "wp_1", userId: "usr_1" })]);
    expect(untold.hasUnnamedChanges()).toBe(false);
  });

  it("is detected in the same way among many changes", () => {
    const untold = new ChangesWithoutEvent();
    for (let at = 0; at < 100; at += 1) untold.addChange(`usr_${at}`);
    untold.addRemovedPass("wp_1");
    for (let at = 0; at < 100; at += 1) untold.addEvents([eventRow({ id: `usr_${at}` })]);
    untold.addEvents([eventRow({ id: "wp_1" })]);
    expect(untold.hasUnnamedChanges()).toBe(true);
    untold.addEvents([eventRow({ id: "wp_1", userId: "usr_1" })]);
    expect(untold.hasUnnamedChanges()).toBe(false);
  });
});
