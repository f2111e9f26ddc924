import type { Organization, SegmentFilter } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { openAcme } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import type { ManualClock } from "../kit/manual-clock.js";

const CREATED = "2026-01-10T09:00:00.000Z";
const TAGGED = "2026-01-11T09:00:00.000Z";
/** Just before a midnight in Vienna, and just after one. */
const VISITS = ["2026-02-01T22:30:00.000Z", "2026-03-01T23:30:00.000Z"] as const;
const NOW = "2026-03-20T10:00:00.000Z";

/** Creates a customer in Vienna with two visits. */
async function createAda(acme: Organization, clock: ManualClock) {
  const setTime = (time: string) => {
    clock.now = Date.parse(time);
  };
  setTime(CREATED);
  await acme.settings.update({ timeZone: "Europe/Vienna" });
  const { id: templateId } = await acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps: 5 });
  await acme.tags.create({ name: "vip" });
  const { id: userId } = await acme.users.create({
    email: "ada@example.com",
    externalId: "ada",
    phone: "+43 1 23",
    metadata: { city: "Vienna", born: "1990-04-24", until: "2026-03-25" },
  });
  const pass = await acme.passes.create(templateId, { userId });
  await acme.passes.markInstalled(pass.id);
  setTime(TAGGED);
  await acme.tags.assign(userId, "vip");
  await acme.subscriptions.put(userId, { email: { status: "SUBSCRIBED", text: "Yes" }, language: "de-AT" });
  for (const visit of VISITS) {
    setTime(visit);
    await acme.stamps.add(pass.id);
  }
  setTime(NOW);
  return { userId, templateId };
}

const [first, second] = VISITS;

/** Returns a midnight in Vienna, which is at UTC+1 until 29 March. */
const midnightInZone = (day: string) =>
  new Date(`${day}T00:00:00${day < "2026-03-30" ? "+01:00" : "+02:00"}`).toISOString();

describe.each(everyAdapter)("an explanation on $name", ({ open }) => {
  it("shows for each leaf the customer's value, since when it has matched or not, and when time will change that", async () => {
    const { acme, clock } = openAcme({ storage: await open() });
    const { userId, templateId } = await createAda(acme, clock);
    await acme.segments.create({
      name: "Regulars",
      filter: { operator: "AND", conditions: [{ visits: { days: 60, min: 2 } }] },
    });
    const leaves = [
      [{ slug: "vip" }, true, true, TAGGED, null],
      [{ slug: "none" }, false, false, null, null],
      [{ stamps: { templateId, min: 2 } }, true, [2], null, null],
      [{ rewards: { min: 1 } }, false, [0], null, null],
      [{ completions: { min: 0, max: 0 } }, true, [0], null, null],
      [{ lastVisit: { withinDays: 30 } }, true, second, second, midnightInZone("2026-04-02")],
      [{ lastVisit: { beforeDays: 10 } }, true, second, midnightInZone("2026-03-13"), null],
      [{ lastVisit: { beforeDays: 30 } }, false, second, second, midnightInZone("2026-04-02")],
      [{ lastVisit: { never: true } }, false, second, second, null],
      [{ visits: { days: 60, min: 2 } }, true, [second, first], second, midnightInZone("2026-04-03")],
      [{ visits: { days: 30, max: 0 } }, false, [second], second, midnightInZone("2026-04-02")],
      [{ joined: { withinDays: 90 } }, true, CREATED, CREATED, midnightInZone("2026-04-11")],
      [{ joined: { from: "2026-01-11" } }, false, CREATED, CREATED, null],
      [{ metadata: { path: ["city"], equals: "Vienna" } }, true, "Vienna", CREATED, null],
      [{ metadata: { path: ["none"], exists: false } }, true, null, CREATED, null],
      [
        { metadata: { path: ["until"], beforeDays: 0 } },
        false,
        "2026-03-25",
        CREATED,
        midnightInZone("2026-03-26"),
      ],
      [
        { anniversary: { path: ["born"], month: "this" } },
        false,
        "1990-04-24",
        CREATED,
        midnightInZone("2026-04-01"),
      ],
      [
        { anniversary: { path: ["born"], withinDays: 40 } },
        ...[true, "1990-04-24", midnightInZone("2026-03-15"), midnightInZone("2026-04-25")],
      ],
      [{ anniversary: { path: ["born"], month: 4 } }, true, "1990-04-24", CREATED, null],
      [{ field: { name: "phone", exists: true } }, true, true, CREATED, null],
      [{ field: { name: "name", exists: true } }, false, false, CREATED, null],
      [{ wallet: { installed: true } }, true, ["other"], null, null],
      [{ wallet: { platform: "apple", installed: false } }, true, ["other"], null, null],
      [{ subscription: { channel: "email", status: "SUBSCRIBED" } }, true, "SUBSCRIBED", TAGGED, null],
      [{ subscription: { channel: "wallet", status: "UNSUBSCRIBED" } }, false, "NONE", null, null],
      [{ language: "de" }, true, "de-AT", null, null],
    ] as const;
    const { slug } = await acme.segments.create({
      name: "All",
      filter: {
        operator: "OR",
        conditions: [...leaves.map(([condition]) => condition), { segment: "regulars" }],
      } as SegmentFilter,
    });
    const { tree, ...explanation } = await acme.segments.explain(slug, "ada");
    expect(explanation).toEqual({
      object: "segment_explanation",
      segment: { id: expect.stringMatching(/^seg_/), slug: "all", name: "All" },
      userId,
      matched: true,
    });
    const { conditions, ...root } = tree;
    expect(root).toEqual({ operator: "OR", matched: true, changesAt: null, filters: [] });
    const visits = { matched: true, changesAt: midnightInZone("2026-04-03") };
    expect(conditions).toEqual([
      ...leaves.map(([condition, matched, currentValue, since, changesAt]) => {
        const [[key, leaf] = []] = Object.entries(condition);
        const expectedCondition =
          key === undefined ? {} : { [key]: expect.objectContaining(Object(leaf) === leaf ? leaf : {}) };
        return {
          ...(Object(leaf) === leaf ? expectedCondition : condition),
          matched,
          currentValue,
          since,
          changesAt,
        };
      }),
      {
        segment: "regulars",
        ...visits,
        currentValue: {
          operator: "AND",
          ...visits,
          conditions: [
            { visits: { days: 60, min: 2 }, ...visits, currentValue: [second, first], since: second },
          ],
          filters: [],
        },
        since: null,
      },
    ]);
  });

  it("shows when time will change the whole result, with all leaves together", async () => {
    const { acme, clock } = openAcme({ storage: await open() });
    const { userId } = await createAda(acme, clock);
    const explainSegment = async (name: string, filter: SegmentFilter) => {
      const { slug } = await acme.segments.create({ name, filter });
      const { matched, tree } = await acme.segments.explain(slug, userId);
      return [matched, tree.matched, tree.changesAt];
    };
    const absentFor30Days = { lastVisit: { beforeDays: 30 } };
    const birthday = { anniversary: { path: ["born"], withinDays: 0 } };
    expect(
      await explainSegment("both", { operator: "AND", conditions: [absentFor30Days, birthday] }),
    ).toEqual([...[false, false, midnightInZone("2026-04-24")]]);
    const never = { operator: "AND", conditions: [birthday, { slug: "none" }] } as const;
    expect(await explainSegment("never", never)).toEqual([false, false, null]);
    const nested = {
      operator: "NOT",
      filters: [{ operator: "OR", conditions: [absentFor30Days, birthday] }],
    } as const;
    expect(await explainSegment("nested", nested)).toEqual([true, true, midnightInZone("2026-04-02")]);
  });

  it("checks the segment first, then the scopes of its leaves and of nested segments, then the customer", async () => {
    const { loyalty, acme, clock } = openAcme({ storage: await open() });
    await createAda(acme, clock);
    const inner = { operator: "AND", conditions: [{ visits: { days: 60, min: 2 } }] } as const;
    await acme.segments.create({ name: "Inner", filter: inner });
    await acme.segments.create({
      name: "Outer",
      filter: { operator: "AND", conditions: [{ slug: "vip" }, { segment: "inner" }] },
    });
    const getCode = (
      scopes: readonly ("segment:read" | "user_tag:read" | "pass:read" | "user:read")[],
      slug: string,
    ) =>
      loyalty
        .organization("acme", { scopes })
        .segments.explain(slug, "nobody")
        .catch(({ detail, missing }) => [detail.code, detail.scope ?? missing]);
    expect(await getCode([], "none")).toEqual(["access_denied", "segment:read"]);
    expect(await getCode(["segment:read"], "none")).toEqual(["resource_not_found", "segment"]);
    expect(await getCode(["segment:read"], "outer")).toEqual(["access_denied", "user_tag:read"]);
    expect(await getCode(["segment:read", "user_tag:read"], "outer")).toEqual(["access_denied", "pass:read"]);
    expect(await getCode(["segment:read", "user_tag:read", "pass:read"], "outer")).toEqual([
      ...["resource_not_found", "user"],
    ]);
  });
});
