import type { Organization, SegmentFilter } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import type { StorageReader } from "loyalty-kit/storage";
import { describe, expect, it } from "vitest";
import { awaitInStep, runStep } from "../../src/base/concurrency/step.js";
import type { BehaviorTest } from "../../src/storage/behavior.js";
import { openAcme, someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { createTemporaryFile } from "../sqlite/temporary-file.js";

const visited: SegmentFilter = { operator: "AND", conditions: [{ lastVisit: { withinDays: 0 } }] };
const tests: readonly BehaviorTest[] = [
  { of: "visit", templateId: null, nth: 1, since: null, before: null },
  { of: "metadata", path: ["city"], value: { is: "text", text: "Vienna" } },
  { of: "field", name: "phone" },
];

/** Creates customers with one card each. */
async function createCustomers(acme: Organization, count: number) {
  const { id } = await acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps: 10 });
  const ids = [];
  for (let at = 0; at < count; at += 1) {
    const user = await acme.users.create({ email: someEmail(), metadata: { city: "Vienna" } });
    const pass = await acme.passes.create(id, { userId: user.id });
    ids.push({ userId: user.id, passId: pass.id });
  }
  return ids;
}

const readCounts = function* (reader: Pick<StorageReader, "matchBehavior">) {
  return (yield* reader.matchBehavior(tests)).map((set) => set.count());
};

describe.each(everyAdapter)("visits on $name", ({ open }) => {
  it("match the ledger after entries are reversed, even beyond the visits that a card stores", async () => {
    const { acme, clock } = openAcme({ storage: await open() });
    const [first] = await createCustomers(acme, 1);
    const passId = first?.passId ?? "";
    const countMatches = async (bounds: { min: number; max?: number } | { max: number }) => {
      const conditions = [{ visits: { days: 1, ...bounds } }];
      return (await acme.segments.query({ filter: { operator: "AND", conditions } })).totalElements;
    };
    for (let visit = 0; visit < 14; visit += 1) {
      await acme.stamps.add(passId);
      clock.move(1_000);
    }
    expect([await countMatches({ min: 10 }), await countMatches({ max: 10 })]).toEqual([1, 0]);
    const { content } = await acme.stamps.history(passId);
    for (const { id } of content.slice(0, 4)) await acme.stamps.reverse(passId, { entryId: id });
    expect([
      await countMatches({ min: 10 }),
      await countMatches({ max: 10 }),
      await countMatches({ max: 9 }),
    ]).toEqual([1, 1, 0]);
    for (const { id } of content.slice(4, 5)) await acme.stamps.reverse(passId, { entryId: id });
    expect([await countMatches({ min: 10 }), await countMatches({ max: 9 })]).toEqual([0, 1]);
  });
});

describe.each(everyAdapter.filter(({ name }) => name !== "memory"))("columns on $name", ({ open }) => {
  it("return an older state unchanged after they were updated to a later one", async () => {
    const storage = await open();
    const { acme } = openAcme({ storage });
    const [first, second, third] = await createCustomers(acme, 4);
    if (first === undefined || second === undefined || third === undefined)
      throw new Error("nobody is there");
    await acme.stamps.add(first.passId);
    expect(await runStep(readCounts(storage.reader("acme")))).toEqual([1, 4, 0]);
    await storage.snapshot("acme", function* (reader) {
      // The first read of a snapshot determines which state it has.
      yield* reader.findUser(first.userId);
      yield* awaitInStep(acme.stamps.add(second.passId));
      yield* awaitInStep(acme.users.update(third.userId, { metadata: { city: "Graz" }, phone: "1" }));
      expect(yield* awaitInStep(runStep(readCounts(storage.reader("acme"))))).toEqual([2, 3, 1]);
      expect(yield* readCounts(reader)).toEqual([1, 4, 0]);
      yield* awaitInStep(acme.users.delete(first.userId));
      yield* awaitInStep(acme.passes.delete(second.passId));
      expect(yield* awaitInStep(runStep(readCounts(storage.reader("acme"))))).toEqual([0, 2, 1]);
      expect(yield* readCounts(reader)).toEqual([1, 4, 0]);
    });
    expect(await runStep(readCounts(storage.reader("acme")))).toEqual([0, 2, 1]);
  });

  it("are read again when events that they haven't applied were removed", async () => {
    const storage = await open();
    const { acme } = openAcme({ storage });
    const [first] = await createCustomers(acme, 2);
    expect(await runStep(readCounts(storage.reader("acme")))).toEqual([0, 2, 0]);
    await acme.stamps.add(first?.passId ?? "");
    await storage.transaction("acme", (tx) =>
      tx.removeEvents({ since: Number.MAX_SAFE_INTEGER, atMost: 0 }, { after: 0, limit: 1_000 }),
    );
    expect((await acme.events.list()).content).toEqual([]);
    expect(await runStep(readCounts(storage.reader("acme")))).toEqual([1, 2, 0]);
  });

  it("have all cards of the customer at the end of a page of cards", async () => {
    const { acme } = openAcme({ storage: await open() });
    const templates: string[] = [];
    for (const name of ["Coffee", "Tea", "Cake"])
      templates.push((await acme.templates.create({ name, type: "STAMP_CARD", maxStamps: 10 })).id);
    const [coffee = "", tea = "", cake = ""] = templates;
    const createRow = (ids: readonly string[], lastStampAt = "2026-01-01T00:00:00.000Z") => ({
      email: someEmail(),
      passes: ids.map((templateId) => ({ templateId, stamps: 3, lastStampAt })),
    });
    const rows = Array.from({ length: 998 }, () => createRow([coffee]));
    await acme.passes.import(rows, { emit: "none" });
    await acme.passes.import([createRow([coffee, tea, cake]), createRow([coffee]), createRow([cake])], {
      emit: "none",
    });
    const countMatches = async (
      of: (templateId: string) => NonNullable<SegmentFilter["conditions"]>[number],
    ) => {
      const found: number[] = [];
      for (const id of [coffee, tea, cake]) {
        const filter: SegmentFilter = { operator: "AND", conditions: [of(id)] };
        found.push((await acme.segments.query({ filter, size: 0 })).totalElements);
      }
      return found;
    };
    expect(await countMatches((templateId) => ({ stamps: { templateId, min: 3 } }))).toEqual([1_000, 1, 2]);
    expect(await countMatches((templateId) => ({ lastVisit: { templateId, withinDays: 3_000 } }))).toEqual([
      1_000, 1, 2,
    ]);
  });

  it("find texts that are too long to be stored in a column", async () => {
    const { acme } = openAcme({ storage: await open() });
    const long = "x".repeat(500);
    await acme.users.create({ email: someEmail(), metadata: { note: long } });
    await acme.users.create({ email: someEmail(), metadata: { note: `${long}y` } });
    const filterByNote = (equals: string): SegmentFilter => ({
      operator: "AND",
      conditions: [{ metadata: { path: ["note"], equals } }],
    });
    const count = async (text: string) =>
      (await acme.segments.query({ filter: filterByNote(text) })).totalElements;
    expect(await count(long)).toBe(1);
    const { id } = await acme.users.create({ email: someEmail(), metadata: { note: long } });
    expect(await count(long)).toBe(2);
    await acme.users.update(id, { metadata: { note: "short" } });
    expect([await count(long), await count("short"), await count(`${long}z`)]).toEqual([1, 1, 0]);
  });

  it("evaluate a filter that needs 20 of them", async () => {
    const { acme } = openAcme({ storage: await open() });
    await acme.users.create({ email: someEmail(), metadata: { key7: 1, key19: 1 } });
    const conditions = Array.from({ length: 20 }, (_, at) => ({
      metadata: { path: [`key${at}`], exists: at === 7 || at === 19 },
    }));
    expect((await acme.segments.query({ filter: { operator: "AND", conditions } })).totalElements).toBe(1);
  });
});

describe("columns of another process", () => {
  it("include the first process's changes in the next query, even an import without events", async () => {
    const file = createTemporaryFile();
    const open = () => sqliteStorage(file, { synchronous: "NORMAL" });
    const { acme: here } = openAcme({ storage: await open() });
    const { acme: there } = openAcme({ storage: await open() });
    const [first] = await createCustomers(here, 2);
    const count = async (acme: Organization) =>
      (await acme.segments.query({ filter: visited })).totalElements;
    expect(await count(there)).toBe(0);
    await here.stamps.add(first?.passId ?? "");
    expect(await count(there)).toBe(1);
    const [template] = await here.templates.list();
    const passes = [{ templateId: template?.id ?? "", stamps: 3 }];
    await here.passes.import([{ email: someEmail(), passes }], { emit: "none" });
    expect(await count(there)).toBe(2);
    expect(await count(here)).toBe(2);
  });
});
