import type { Organization, SegmentFilter } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { openAcme } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import type { ManualClock } from "../kit/manual-clock.js";

type Condition = NonNullable<SegmentFilter["conditions"]>[number];

const DAY = 86_400_000;
const TODAY = Date.parse("2026-03-20T10:00:00Z");
const dayBefore = (days: number) => new Date(TODAY - days * DAY).toISOString();

/** Customers with a value below, at and above each bound, and one with nothing. */
const people = ["below", "at", "above", "nothing"] as const;

async function openShop({ acme, clock }: { readonly acme: Organization; readonly clock: ManualClock }) {
  const users = new Map<string, string>();
  const create = (name: string, maxStamps: number) =>
    acme.templates.create({ name, type: "STAMP_CARD", maxStamps });
  const [coffee, tea] = [await create("Coffee", 4), await create("Tea", 4)];
  await acme.tags.create({ name: "Vip" });
  await acme.tags.create({ name: "New" });
  for (const [nth, name] of people.entries()) {
    const isNobody = name === "nothing";
    clock.now = TODAY - (32 - nth) * DAY;
    const metadata = {
      visits: nth,
      city: ["Graz", "Wien", "wien", "Linz"][nth] ?? "",
      isMember: nth === 1,
      born: ["1990-03-19", "1990-03-20", "1990-03-21", "1990-04-01"][nth] ?? "",
      nothing: null,
    };
    const { id } = await acme.users.create({
      email: `${name}@example.com`,
      ...(isNobody ? {} : { name, metadata }),
    });
    users.set(id, name);
    if (isNobody) continue;
    const pass = await acme.passes.create(coffee.id, { userId: id });
    const other = await acme.passes.create(tea.id, { userId: id });
    clock.now = TODAY - (4 - nth) * DAY;
    await acme.stamps.add(pass.id, { count: 5 + nth });
    await acme.stamps.add(other.id);
    if (nth === 1) await acme.stamps.redeem(pass.id);
    if (nth > 0) await acme.passes.markInstalled(pass.id);
    if (nth > 0) await acme.tags.assign(id, "vip");
    if (nth > 1) await acme.tags.assign(id, "new");
    await acme.subscriptions.put(id, {
      email: nth === 1 ? { status: "SUBSCRIBED", text: "Yes" } : { status: "UNSUBSCRIBED" },
      language: ["de", "de-AT", "den"][nth] ?? "en",
    });
  }
  clock.now = TODAY;
  return { users, coffee: coffee.id, tea: tea.id };
}

const all = (...conditions: readonly Condition[]): SegmentFilter => ({ operator: "AND", conditions });
const any = (...conditions: readonly Condition[]): SegmentFilter => ({ operator: "OR", conditions });
const none = (...conditions: readonly Condition[]): SegmentFilter => ({ operator: "NOT", conditions });

type Row = readonly [filter: SegmentFilter, members: readonly (typeof people)[number][]];

/** Filters with a customer at each bound, and the customers who match them. */
const listRows = ({ coffee, tea }: { readonly coffee: string; readonly tea: string }): readonly Row[] => [
  [all({ stamps: { templateId: coffee, min: 2 } }), ["at", "above"]],
  [all({ stamps: { templateId: coffee, max: 2 } }), ["below", "at"]],
  [all({ stamps: { templateId: coffee, min: 2, max: 2 } }), ["at"]],
  [all({ stamps: { templateId: tea, min: 1, max: 1 } }), ["below", "at", "above"]],
  [all({ rewards: {} }), ["below", "above"]],
  [all({ rewards: { templateId: tea } }), []],
  [all({ rewards: { min: 0, max: 0 } }), ["below", "at", "above"]],
  [all({ rewards: { templateId: coffee, min: 0, max: 0 } }), ["at"]],
  [all({ completions: { min: 1 } }), ["below", "at", "above"]],
  [all({ completions: { min: 2 } }), []],
  [all({ lastVisit: { withinDays: 3 } }), ["at", "above"]],
  [all({ lastVisit: { beforeDays: 3 } }), ["below"]],
  [all({ lastVisit: { never: true } }), ["nothing"]],
  [all({ visits: { days: 3, min: 2 } }), ["at", "above"]],
  [all({ visits: { days: 3, max: 1 } }), ["below"]],
  [all({ visits: { templateId: coffee, days: 3, min: 1, max: 1 } }), ["at", "above"]],
  [all({ joined: { withinDays: 31 } }), ["at", "above", "nothing"]],
  [all({ joined: { beforeDays: 31 } }), ["below"]],
  [all({ joined: { from: dayBefore(31), to: dayBefore(30) } }), ["at"]],
  [all({ metadata: { path: ["visits"], min: 1 } }), ["at", "above"]],
  [all({ metadata: { path: ["visits"], max: 1 } }), ["below", "at"]],
  [all({ metadata: { path: ["city"], min: 1 } }), []],
  [all({ metadata: { path: ["city"], equals: "Wien" } }), ["at"]],
  [all({ metadata: { path: ["isMember"], equals: true } }), ["at"]],
  [all({ metadata: { path: ["isMember"], equals: false } }), ["below", "above"]],
  [all({ metadata: { path: ["visits"], exists: true } }), ["below", "at", "above"]],
  [all({ metadata: { path: ["nothing"], exists: false } }), [...people]],
  [all({ anniversary: { path: ["born"], withinDays: 0 } }), ["at"]],
  [all({ anniversary: { path: ["born"], withinDays: 1 } }), ["at", "above"]],
  [all({ anniversary: { path: ["born"], month: 3 } }), ["below", "at", "above"]],
  [all({ field: { name: "name", exists: true } }), ["below", "at", "above"]],
  [all({ field: { name: "name", exists: false } }), ["nothing"]],
  [all({ wallet: { installed: true } }), ["at", "above"]],
  [all({ wallet: { installed: true, templateId: tea } }), []],
  [all({ wallet: { installed: true, platform: "apple" } }), []],
  [all({ wallet: { installed: false } }), ["below", "nothing"]],
  [all({ subscription: { channel: "email", status: "SUBSCRIBED" } }), ["at"]],
  [all({ subscription: { channel: "email", status: "NONE" } }), ["nothing"]],
  [all({ subscription: { channel: "wallet", status: "NONE" } }), [...people]],
  [all({ language: "de" }), ["below", "at"]],
  [all({ slug: "vip" }, { slug: "new" }), ["above"]],
  [any({ slug: "vip" }, { slug: "new" }), ["at", "above"]],
  [none({ slug: "vip" }, { slug: "new" }), ["below", "nothing"]],
  [none({ slug: "new" }), ["below", "at", "nothing"]],
  [{ operator: "AND", conditions: [{ slug: "vip" }], filters: [none({ slug: "new" })] }, ["at"]],
  [{ operator: "OR", filters: [all({ slug: "new" }), none({ slug: "vip" })] }, ["below", "above", "nothing"]],
];

describe.each(everyAdapter)("a filter on $name", ({ open }) => {
  it("matches the same customers in a query for all and in an explanation for each", async () => {
    const shop = openAcme({ storage: await open() });
    const { acme } = shop;
    const { users, ...templates } = await openShop(shop);
    for (const [filter, members] of listRows(templates)) {
      const story = JSON.stringify(filter);
      const { content } = await acme.segments.query({ filter });
      expect([story, content.map(({ id }) => users.get(id))]).toEqual([story, members]);
      const { slug } = await acme.segments.create({ name: "Asked", filter });
      const alone = [];
      for (const [id, name] of users) if ((await acme.segments.explain(slug, id)).matched) alone.push(name);
      expect([story, alone]).toEqual([story, members]);
      await acme.segments.delete(slug);
    }
  });
});
