import { LoyaltyService, type SegmentCondition, type SegmentFilter, type StorageAdapter } from "loyalty-kit";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { signals } from "../../src/base/signals.js";
import { compileMembershipTest } from "../../src/segments/customer-membership.js";
import { planFilter } from "../../src/segments/plan.js";
import { someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { intercepted, withTransactions } from "../kit/intercepted.js";

/** A filter of so many levels, each of which has so many conditions. */
function deep(levels: number, each: number, condition: (nth: number) => SegmentCondition): SegmentFilter {
  const conditions = Array.from({ length: each }, (_, nth) => condition(levels * each + nth));
  if (levels === 1) return { operator: "AND", conditions };
  return {
    operator: levels % 2 === 0 ? "OR" : "NOT",
    conditions,
    filters: [deep(levels - 1, each, condition)],
  };
}

const LEAVES = 30 * 32;

/** Filters are known by what they say, so that each test has its own. */
let made = 0;
function costly(levels = 30, each = 32): SegmentFilter {
  made += 1;
  const key = `filter ${made}`;
  return deep(levels, each, (nth) => ({ metadata: { path: [key, `value ${nth}`], exists: true } }));
}

/** The number of conditions that are planned while something is done. */
async function plannedBy(work: () => Promise<unknown>): Promise<number> {
  let planned = 0;
  const end = signals.filterPlanned.on((conditions) => {
    planned += conditions;
  });
  await work().finally(end);
  return planned;
}

/** How often the text of a filter is parsed while something is done. */
async function parsesBy(work: () => Promise<unknown>): Promise<number> {
  const parse = vi.spyOn(JSON, "parse");
  onTestFinished(() => parse.mockRestore());
  await work();
  const parses = parse.mock.calls.filter(([text]) => String(text).startsWith('{"operator"')).length;
  parse.mockRestore();
  return parses;
}

/** A storage that notes what is called within its transactions. */
function noted(storage: StorageAdapter) {
  const calls: string[] = [];
  const noting = withTransactions(storage, (work, options) =>
    storage.transaction(
      (tx) =>
        work(
          intercepted(tx, (method, proceed) => {
            calls.push(method);
            return proceed();
          }),
        ),
      options,
    ),
  );
  return { storage: noting, calls };
}

/** The calls of the port that look at customers. */
const looks = new Set(["matchBehavior", "readTagSets", "usersByOrdinal", "listUsers", "assignmentsOfUsers"]);

it("a plan makes its rules once, however often automations look at a few customers", () => {
  const plan = planFilter(costly(), { at: 0, timeZone: "UTC", templates: new Map() });
  expect(compileMembershipTest(plan)).toBe(compileMembershipTest(plan));
});

describe.each(everyAdapter)("the work for segments of a thousand conditions, on $name", ({ open }) => {
  async function shop(users = 30) {
    const { storage, calls } = noted(await open());
    const loyalty = new LoyaltyService({ storage });
    onTestFinished(() => loyalty.close());
    const acme = loyalty.organization("acme");
    await acme.users.import(Array.from({ length: users }, () => ({ email: someEmail() })));
    return { acme, calls };
  }

  it("is to plan it once, whoever asks for it again: a new name, the members, the numbers, the list", async () => {
    const { acme } = await shop();
    const filter = costly();
    expect(await plannedBy(() => acme.segments.create({ name: "Regulars", filter }))).toBe(LEAVES);
    const again = async () => {
      await acme.segments.update("regulars", { name: "Regular guests" });
      await acme.segments.update("regulars", { filter, description: "They come often." });
      await acme.segments.members("regulars");
      await acme.segments.get("regulars");
      await acme.segments.list();
    };
    expect(await plannedBy(again)).toBe(0);
    expect(await plannedBy(() => acme.segments.update("regulars", { filter: costly() }))).toBe(LEAVES);
  });

  it("is none within the transaction of a change, whose others would wait for it", async () => {
    const { acme, calls } = await shop();
    await acme.segments.create({ name: "Regulars", filter: costly() });
    await acme.segments.update("regulars", { name: "Regular guests" });
    await acme.segments.update("regulars", { filter: costly() });
    expect(calls.filter((call) => looks.has(call))).toEqual([]);
  });

  it("is done behind the change where a segment emits events, however few customers there are", async () => {
    const { acme, calls } = await shop(100);
    const made = await acme.segments.create({ name: "Regulars", filter: costly(), emitsEvents: true });
    expect(made).toMatchObject({ isRecounting: true, members: 0 });
    await expect.poll(async () => (await acme.segments.get("regulars")).isRecounting).toBe(false);
    expect(calls).not.toContain("matchBehavior");
    const few: SegmentFilter = { operator: "OR", conditions: [{ joined: { withinDays: 1 } }] };
    expect(await acme.segments.update("regulars", { filter: few })).toMatchObject({ isRecounting: false });
  });

  it("is to parse the filters of a list once", async () => {
    const { acme } = await shop();
    for (let at = 0; at < 21; at += 1) {
      const filter = deep(2, 5, (nth) => ({ slug: `tag-${at}-${nth}` }));
      await acme.segments.create({ name: `Segment ${at}`, filter });
    }
    expect(await parsesBy(() => acme.segments.list())).toBe(0);
  });

  it("is to look at each leaf a few times where it is explained, however deep it stands", async () => {
    const { acme } = await shop();
    await acme.segments.create({ name: "Regulars", filter: costly() });
    const { id } = (await acme.contacts.list()).content[0] ?? { id: "" };
    expect(await plannedBy(() => acme.segments.explain("regulars", id))).toBeLessThanOrEqual(2 * LEAVES);
  });

  it("is that of each segment once, however many have it within them", async () => {
    const { acme } = await shop();
    await acme.segments.create({ name: "Segment 0", filter: costly(1, 10) });
    for (let at = 1; at < 20; at += 1) {
      const filter: SegmentFilter = { operator: "OR", conditions: [{ segment: `segment-${at - 1}` }] };
      await acme.segments.create({ name: `Segment ${at}`, filter });
    }
    const change = () => acme.segments.update("segment-0", { filter: costly(1, 900) });
    expect(await plannedBy(change)).toBe(900);
    expect(await plannedBy(() => acme.segments.list())).toBeLessThan(20 * (900 + 20));
    expect(await plannedBy(() => acme.segments.list())).toBe(0);
  });
});
