import type { Organization, SegmentFilter, StorageAdapter } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { runStep } from "../../src/base/concurrency/step.js";
import { Bitmap } from "../../src/storage/bitmap.js";
import { openAcme, someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";

const vips: SegmentFilter = { operator: "AND", conditions: [{ slug: "vip" }] };
const others: SegmentFilter = { operator: "NOT", conditions: [{ slug: "vip" }] };

/** More customers than are recounted within a change. */
const MANY = 5_010;

async function findSegment(storage: StorageAdapter, slug: string) {
  const segment = await runStep(storage.reader("acme").findSegment(slug));
  if (segment === null) throw new Error(`there is no segment ${slug}`);
  return segment;
}

/** Returns the ids of the published members. */
async function listPublishedMembers(storage: StorageAdapter, slug: string): Promise<string[]> {
  const { id } = await findSegment(storage, slug);
  const ordinals = (await runStep(storage.reader("acme").segmentMembers(id))).from(0, MANY);
  const users = await Promise.all([
    runStep(storage.reader("acme").usersByOrdinal(ordinals.slice(0, 1_000))),
    runStep(storage.reader("acme").usersByOrdinal(ordinals.slice(1_000, 2_000))),
  ]);
  return users.flat().map(({ id: userId }) => userId);
}

async function waitUntilRecounted(acme: Organization, slug: string): Promise<void> {
  for (let tries = 0; (await acme.segments.get(slug)).isRecounting; tries += 1) {
    expect(tries).toBeLessThan(2_000);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const listMoves = async (acme: Organization) =>
  (await acme.events.list({ types: ["segment.entered", "segment.left"] })).content;

describe.each(everyAdapter)("the published members, on $name", ({ open }) => {
  async function openTagShop() {
    const storage = await open();
    const shop = openAcme({ storage });
    const { acme } = shop;
    await acme.tags.create({ name: "VIP" });
    const ada = (await acme.users.create({ email: someEmail() })).id;
    const bob = (await acme.users.create({ email: someEmail() })).id;
    await acme.tags.assign(ada, "vip");
    return { ...shop, storage, ada, bob };
  }

  async function openWithManyCustomers() {
    const shop = await openTagShop();
    const rows = Array.from({ length: MANY }, () => ({ email: someEmail() }));
    await shop.acme.users.import(rows);
    return shop;
  }

  it("are recounted silently when a segment is saved, gets another filter or begins to emit events", async () => {
    const { acme, loyalty, storage, ada, bob } = await openTagShop();
    await acme.segments.create({ name: "Guests", filter: vips, emitsEvents: true });
    expect(await listPublishedMembers(storage, "guests")).toEqual([ada]);
    expect(await acme.segments.update("guests", { filter: others })).toMatchObject({ entered: 1, left: 1 });
    expect(await listPublishedMembers(storage, "guests")).toEqual([bob]);
    await acme.segments.update("guests", { emitsEvents: false });
    expect(await listPublishedMembers(storage, "guests")).toEqual([]);
    await acme.tags.assign(bob, "vip");
    await acme.tags.unassign(ada, "vip");
    await acme.segments.update("guests", { emitsEvents: true });
    expect(await listPublishedMembers(storage, "guests")).toEqual([ada]);
    await loyalty.refreshSegments();
    expect(await listMoves(acme)).toEqual([]);
    await acme.tags.unassign(bob, "vip");
    await loyalty.refreshSegments();
    expect((await listMoves(acme)).map(({ type, data }) => [type, data])).toMatchObject([
      ["segment.entered", { userId: bob, because: "change" }],
    ]);
  });

  it("are recounted, too, when a nested segment's filter changes", async () => {
    const { acme, loyalty, storage, ada, bob } = await openTagShop();
    await acme.segments.create({ name: "Inner", filter: vips });
    const within: SegmentFilter = { operator: "AND", conditions: [{ segment: "inner" }] };
    await acme.segments.create({ name: "Middle", filter: within });
    const outer: SegmentFilter = { operator: "AND", conditions: [{ segment: "middle" }] };
    await acme.segments.create({ name: "Outer", filter: outer, emitsEvents: true });
    expect(await listPublishedMembers(storage, "outer")).toEqual([ada]);
    await acme.segments.update("inner", { filter: others });
    expect(await listPublishedMembers(storage, "outer")).toEqual([bob]);
    await acme.tags.unassign(ada, "vip");
    await loyalty.refreshSegments();
    expect((await listMoves(acme)).map(({ data }) => data)).toMatchObject([
      { userId: ada, segment: { slug: "outer" } },
    ]);
  });

  it("are those of the new day when the organization gets another time zone", async () => {
    const { acme, loyalty, storage, clock } = await openTagShop();
    const hour = 3_600_000;
    // 09:00 UTC, an hour before a day begins in Kiritimati.
    clock.move((33 * hour - (clock.now % (24 * hour))) % (24 * hour));
    const eve = (await acme.users.create({ email: someEmail() })).id;
    const today: SegmentFilter = { operator: "AND", conditions: [{ joined: { withinDays: 0 } }] };
    await acme.segments.create({ name: "New", filter: today, emitsEvents: true });
    clock.move(3 * hour);
    const fay = (await acme.users.create({ email: someEmail() })).id;
    await loyalty.refreshSegments();
    expect(await listPublishedMembers(storage, "new")).toEqual(expect.arrayContaining([eve, fay]));
    const before = await listMoves(acme);
    await acme.settings.update({ timeZone: "Pacific/Kiritimati" });
    expect(await listPublishedMembers(storage, "new")).toEqual([fay]);
    expect((await acme.segments.get("new")).members).toBe(1);
    expect(await listMoves(acme)).toEqual(before);
  });

  it("are recounted after the change if there are many customers, correctly for those who change in the meantime", async () => {
    const { acme, loyalty, storage, ada, bob } = await openWithManyCustomers();
    const segment = await acme.segments.create({ name: "Guests", filter: vips, emitsEvents: true });
    expect(segment).toMatchObject({ isRecounting: true, members: 1 });
    await acme.tags.assign(bob, "vip");
    await waitUntilRecounted(acme, "guests");
    await loyalty.refreshSegments();
    expect(await listPublishedMembers(storage, "guests")).toEqual([ada, bob]);
    const before = (await listMoves(acme)).length;
    expect(before).toBeLessThanOrEqual(1);
    const updatedSegment = await acme.segments.update("guests", { filter: others });
    expect(updatedSegment).toMatchObject({ members: MANY, entered: MANY, left: 2 });
    await waitUntilRecounted(acme, "guests");
    await acme.tags.unassign(ada, "vip");
    await loyalty.refreshSegments();
    const { id } = await findSegment(storage, "guests");
    const publishedMembers = await runStep(storage.reader("acme").segmentMembers(id));
    expect(publishedMembers.count()).toBe(MANY + 1);
    expect(publishedMembers.has(0)).toBe(true);
    expect(publishedMembers.has(1)).toBe(false);
    const since = (await listMoves(acme)).slice(before);
    expect(since.map(({ type, data }) => [type, data])).toMatchObject([["segment.entered", { userId: ada }]]);
    expect((await acme.segments.get("guests")).members).toBe(MANY + 1);
  });

  it("are recounted by the next refresh if the process that was to do it is gone", async () => {
    const { acme, loyalty, storage, ada } = await openTagShop();
    await acme.segments.create({ name: "Guests", filter: vips, emitsEvents: true });
    const segment = await findSegment(storage, "guests");
    await storage.transaction("acme", function* (tx) {
      yield* tx.updateSegment({ ...segment, isRecounting: true, revision: segment.revision + 1 });
      yield* tx.putSegmentMembers(segment.id, Bitmap.of([1]));
    });
    expect((await acme.segments.get("guests")).isRecounting).toBe(true);
    await Promise.all([loyalty.refreshSegments(), loyalty.refreshSegments()]);
    expect((await acme.segments.get("guests")).isRecounting).toBe(false);
    expect(await listPublishedMembers(storage, "guests")).toEqual([ada]);
  });
});
