import { LoyaltyService, type SegmentCondition, type SegmentFilter, type StorageAdapter } from "loyalty-kit";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { signals } from "../../src/base/signals.js";
import { compileMembershipTest } from "../../src/segments/customer-membership.js";
import { planFilter } from "../../src/segments/plan.js";
import { someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { interceptCalls, replaceTransactions } from "../kit/intercept-calls.js";

/** Creates a filter with this many levels, each with this many conditions. */
function createDeepFilter(
  levels: number,
  each: number,
  condition: (nth: number) => SegmentCondition,
): SegmentFilter {
  const conditions = Array.from({ length: each }, (_, nth) => condition(levels * each + nth));
  if (levels === 1) return { operator: "AND", conditions };
  return {
    operator: levels % 2 === 0 ? "OR" : "NOT",
    conditions,
    filters: [createDeepFilter(levels - 1, each, condition)],
  };
}

const LEAVES = 30 * 32;

/** Plans are cached by the content of a filter, so each test has its own. */
let count = 0;
function createCostlyFilter(levels = 30, each = 32): SegmentFilter {
  count += 1;
  const key = `filter ${count}`;
  return createDeepFilter(levels, each, (nth) => ({
    metadata: { path: [key, `value ${nth}`], exists: true },
  }));
}

/** Returns how many conditions are planned while `work` runs. */
async function countPlanned(work: () => Promise<unknown>): Promise<number> {
  let plannedCount = 0;
  const end = signals.filterPlanned.on((conditions) => {
    plannedCount += conditions;
  });
  await work().finally(end);
  return plannedCount;
}

/** Returns how often the text of a filter is parsed while `work` runs. */
async function countParses(work: () => Promise<unknown>): Promise<number> {
  const parse = vi.spyOn(JSON, "parse");
  onTestFinished(() => parse.mockRestore());
  await work();
  const parses = parse.mock.calls.filter(([text]) => String(text).startsWith('{"operator"')).length;
  parse.mockRestore();
  return parses;
}

/** Wraps a storage: records the calls within its transactions. */
function recordCalls(storage: StorageAdapter) {
  const calls: string[] = [];
  const noting = replaceTransactions(storage, (organizationId, work, options) =>
    storage.transaction(
      organizationId,
      (tx) =>
        work(
          interceptCalls(tx, (method, proceed) => {
            calls.push(method);
            return proceed();
          }),
        ),
      options,
    ),
  );
  return { storage: noting, calls };
}

/** The calls of the port that read customers. */
const looks = new Set(["matchBehavior", "readTagSets", "usersByOrdinal", "listUsers", "assignmentsOfUsers"]);

it("a plan compiles its membership test once, regardless of how often automations use it", () => {
  const plan = planFilter(createCostlyFilter(), { at: 0, timeZone: "UTC", templates: new Map() });
  expect(compileMembershipTest(plan)).toBe(compileMembershipTest(plan));
});

describe.each(everyAdapter)("segments with a thousand conditions, on $name", ({ open }) => {
  async function openSegmentShop(users = 30) {
    const { storage, calls } = recordCalls(await open());
    const loyalty = new LoyaltyService({ storage });
    onTestFinished(() => loyalty.close());
    const acme = loyalty.organization("acme");
    await acme.users.import(Array.from({ length: users }, () => ({ email: someEmail() })));
    return { acme, calls };
  }

  it("are planned once, and not again for a new name, the members, the numbers or the list", async () => {
    const { acme } = await openSegmentShop();
    const filter = createCostlyFilter();
    expect(await countPlanned(() => acme.segments.create({ name: "Regulars", filter }))).toBe(LEAVES);
    const useAgain = async () => {
      await acme.segments.update("regulars", { name: "Regular guests" });
      await acme.segments.update("regulars", { filter, description: "They come often." });
      await acme.segments.members("regulars");
      await acme.segments.get("regulars");
      await acme.segments.list();
    };
    expect(await countPlanned(useAgain)).toBe(0);
    expect(await countPlanned(() => acme.segments.update("regulars", { filter: createCostlyFilter() }))).toBe(
      LEAVES,
    );
  });

  it("aren't evaluated within the transaction of a change, because other changes would wait for it", async () => {
    const { acme, calls } = await openSegmentShop();
    await acme.segments.create({ name: "Regulars", filter: createCostlyFilter() });
    await acme.segments.update("regulars", { name: "Regular guests" });
    await acme.segments.update("regulars", { filter: createCostlyFilter() });
    expect(calls.filter((call) => looks.has(call))).toEqual([]);
  });

  it("that emit events are evaluated after the change, even if there are few customers", async () => {
    const { acme, calls } = await openSegmentShop(100);
    const segment = await acme.segments.create({
      name: "Regulars",
      filter: createCostlyFilter(),
      emitsEvents: true,
    });
    expect(segment).toMatchObject({ isRecounting: true, members: 0 });
    await expect.poll(async () => (await acme.segments.get("regulars")).isRecounting).toBe(false);
    expect(calls).not.toContain("matchBehavior");
    const few: SegmentFilter = { operator: "OR", conditions: [{ joined: { withinDays: 1 } }] };
    expect(await acme.segments.update("regulars", { filter: few })).toMatchObject({ isRecounting: false });
  });

  it("aren't parsed again when they are listed", async () => {
    const { acme } = await openSegmentShop();
    for (let at = 0; at < 21; at += 1) {
      const filter = createDeepFilter(2, 5, (nth) => ({ slug: `tag-${at}-${nth}` }));
      await acme.segments.create({ name: `Segment ${at}`, filter });
    }
    expect(await countParses(() => acme.segments.list())).toBe(0);
  });

  it("are explained by planning each leaf at most twice, regardless of its depth", async () => {
    const { acme } = await openSegmentShop();
    await acme.segments.create({ name: "Regulars", filter: createCostlyFilter() });
    const { id } = (await acme.contacts.list()).content[0] ?? { id: "" };
    expect(await countPlanned(() => acme.segments.explain("regulars", id))).toBeLessThanOrEqual(2 * LEAVES);
  });

  it("are planned once each, even if many segments contain them", async () => {
    const { acme } = await openSegmentShop();
    await acme.segments.create({ name: "Segment 0", filter: createCostlyFilter(1, 10) });
    for (let at = 1; at < 20; at += 1) {
      const filter: SegmentFilter = { operator: "OR", conditions: [{ segment: `segment-${at - 1}` }] };
      await acme.segments.create({ name: `Segment ${at}`, filter });
    }
    const updateSegment = () => acme.segments.update("segment-0", { filter: createCostlyFilter(1, 900) });
    expect(await countPlanned(updateSegment)).toBe(900);
    expect(await countPlanned(() => acme.segments.list())).toBeLessThan(20 * (900 + 20));
    expect(await countPlanned(() => acme.segments.list())).toBe(0);
  });
});
