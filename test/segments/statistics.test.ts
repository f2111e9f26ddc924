import type { SegmentFilter } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { openAcme, someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail, getRefusedFields, notFound } from "../kit/refusal.js";

const DAY = 86_400_000;
const vips: SegmentFilter = { operator: "AND", conditions: [{ slug: "vip" }] };

describe.each(everyAdapter)("the statistics of a segment on $name", ({ open }) => {
  it("have the current members for today, and the recorded numbers for the days before", async () => {
    const storage = await open();
    const { acme, clock } = openAcme({ storage });
    const dateInDays = (days: number) => new Date(clock.now + days * DAY).toISOString().slice(0, 10);
    await acme.tags.create({ name: "VIP" });
    const { slug, id } = await acme.segments.create({ name: "VIPs", filter: vips, emitsEvents: true });
    for (let half = 0; half < 4; half += 1) {
      clock.now += DAY / 2;
      await acme.users.create({ email: someEmail() });
    }
    const day = Math.floor(clock.now / DAY);
    await storage.transaction("acme", function* (tx) {
      yield* tx.changeSegmentMembers(id, [11, 12, 13, 14], true, day - 2);
      yield* tx.changeSegmentMembers(id, [14], false, day - 2);
      yield* tx.recordMemberCount(id, day - 2, 3);
      yield* tx.changeSegmentMembers(id, [15, 16], true, day - 1);
    });
    const user = await acme.users.create({ email: someEmail() });
    await acme.tags.assign(user.id, "vip");
    const statistics = await acme.segments.statistics(slug, { from: dateInDays(-3), to: dateInDays(1) });
    const none = { members: null, entered: null, left: null };
    expect(statistics).toMatchObject({
      ...{ object: "segment_statistics", from: dateInDays(-3), to: dateInDays(1), members: null },
      days: [
        { date: dateInDays(-3), ...none },
        { date: dateInDays(-2), members: 3, entered: 4, left: 1 },
        { date: dateInDays(-1), members: null, entered: 2, left: 0 },
        { date: dateInDays(0), members: 1 },
        { date: dateInDays(1), ...none },
      ],
    });
    const lately = await acme.segments.statistics(slug, { days: 3 });
    expect(lately).toMatchObject({ from: dateInDays(-2), to: dateInDays(0), members: 1 });
    expect(lately.entered).toBe(lately.days.reduce((sum, { entered }) => sum + (entered ?? 0), 0));
    expect((await acme.segments.statistics(slug)).days).toHaveLength(30);
  });

  it("count the members at the end of a day as they were then, no matter how late its midnight is run", async () => {
    const { acme, clock, loyalty } = openAcme({ storage: await open() });
    await acme.tags.create({ name: "VIP" });
    const { slug } = await acme.segments.create({ name: "VIPs", filter: vips, emitsEvents: true });
    const createCustomer = async () => (await acme.users.create({ email: someEmail() })).id;
    const [first, second, third] = [await createCustomer(), await createCustomer(), await createCustomer()];
    await acme.tags.assign(first, "vip");
    await loyalty.refreshSegments();
    clock.move(DAY);
    await acme.tags.assign(second, "vip");
    await loyalty.refreshSegments();
    clock.move(DAY);
    await acme.tags.assign(third, "vip");
    await acme.tags.unassign(first, "vip");
    await acme.tags.unassign(second, "vip");
    await loyalty.refreshSegments();
    const { days } = await acme.segments.statistics(slug, { days: 3 });
    expect(days.map(({ members, entered, left }) => [members, entered, left])).toEqual([
      [1, 1, 0],
      [2, 1, 0],
      [1, 1, 2],
    ]);
  });

  it("have no entered and left counts for a segment that emits no events", async () => {
    const { acme } = openAcme({ storage: await open() });
    const { slug } = await acme.segments.create({ name: "VIPs", filter: vips });
    expect(await acme.segments.statistics(slug, { days: 1 })).toMatchObject({
      ...{ members: 0, entered: null, left: null },
      days: [{ members: 0, entered: null, left: null }],
    });
  });

  it("have no entered and left counts for days before the segment emitted events", async () => {
    const { acme, clock, loyalty } = openAcme({ storage: await open() });
    await acme.tags.create({ name: "VIP" });
    const { slug } = await acme.segments.create({ name: "VIPs", filter: vips });
    const assignTag = async () =>
      acme.tags.assign((await acme.users.create({ email: someEmail() })).id, "vip");
    const readDays = async () => {
      await loyalty.refreshSegments();
      clock.move(DAY);
      await loyalty.refreshSegments();
      const { days } = await acme.segments.statistics(slug, { days: 3 });
      return days.map(({ members, entered, left }) => [members, entered, left]);
    };
    const unknown = [null, null, null];
    await assignTag();
    expect(await readDays()).toEqual([unknown, [1, null, null], [1, null, null]]);
    await acme.segments.update(slug, { emitsEvents: true });
    await acme.segments.update(slug, { emitsEvents: true, name: "Our VIPs" });
    await assignTag();
    expect(await readDays()).toEqual([
      [1, null, null],
      [2, 1, 0],
      [2, 0, 0],
    ]);
    await acme.segments.update(slug, { emitsEvents: false });
    expect(await readDays()).toEqual([
      [2, null, null],
      [2, null, null],
      [2, null, null],
    ]);
    await acme.segments.update(slug, { emitsEvents: true });
    expect(await readDays()).toEqual([
      [2, null, null],
      [2, 0, 0],
      [2, 0, 0],
    ]);
  });

  it("have days in the organization's time zone", async () => {
    const { acme, clock } = openAcme({ storage: await open() });
    await acme.settings.update({ timeZone: "Pacific/Kiritimati" });
    const { slug } = await acme.segments.create({ name: "VIPs", filter: vips });
    const today = new Date(clock.now + (14 / 24) * DAY).toISOString().slice(0, 10);
    expect(await acme.segments.statistics(slug, { days: 1 })).toMatchObject({ to: today, members: 0 });
  });

  it("need an existing segment, days in their order, and the scopes for the data that the segment reads", async () => {
    const { acme, loyalty } = openAcme({ storage: await open() });
    const { slug } = await acme.segments.create({ name: "VIPs", filter: vips });
    expect(await getErrorDetail(acme.segments.statistics("none"))).toEqual(notFound);
    expect(await getRefusedFields(acme.segments.statistics(slug, { days: 0 }))).toEqual(["days"]);
    expect(
      await getRefusedFields(acme.segments.statistics(slug, { from: "2026-01-02", to: "2026-01-01" })),
    ).toEqual(["to"]);
    const reader = loyalty.organization("acme", { scopes: ["segment:read"] });
    expect(await getErrorDetail(reader.segments.statistics(slug))).toEqual({
      code: "access_denied",
      scope: "user_tag:read",
    });
  });
});
