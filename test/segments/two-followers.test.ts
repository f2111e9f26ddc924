import type { SegmentFilter } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { openAcme, someEmail } from "../kit/acme.js";
import { overtake } from "../kit/overtake.js";

const DAY = 86_400_000;

const ofTag = (slug: string): SegmentFilter => ({ operator: "AND", conditions: [{ slug }] });
const known: SegmentFilter = { operator: "AND", conditions: [{ joined: { beforeDays: 1 } }] };

/** Opens an organization whose segments a slow process follows, too. */
async function openFollowed() {
  const inner = memoryStorage();
  const shop = openAcme({ storage: inner });
  const { acme, clock } = shop;
  const { storage, beforeNext } = overtake(inner);
  const { loyalty: slow } = openAcme({ storage, clock: clock.read });
  const listMoves = async () => {
    const { content } = await acme.events.list({ types: ["segment.entered", "segment.left"] });
    return content.map(({ type }) => type);
  };
  const listMembers = async (slug: string) =>
    (await acme.segments.members(slug)).content.map(({ email }) => email);
  for (const name of ["Vip", "New"]) await acme.tags.create({ name });
  return { ...shop, slow, beforeNext, listMoves, listMembers };
}

describe("the slower of two processes that follow segments", () => {
  it("moves no customer at a midnight whom the other has moved", async () => {
    const { acme, loyalty, clock, slow, beforeNext, listMoves } = await openFollowed();
    await acme.segments.create({ name: "Known", filter: known, emitsEvents: true });
    await acme.users.create({ email: someEmail() });
    for (const process of [loyalty, slow]) await process.refreshSegments();
    clock.move(DAY);
    for (const process of [loyalty, slow]) await process.refreshSegments();
    expect(await listMoves()).toEqual([]);
    clock.move(DAY);
    beforeNext(() => loyalty.refreshSegments());
    expect(await slow.refreshSegments()).toMatchObject({ midnights: 0, entered: 0, left: 0 });
    expect(await listMoves()).toEqual(["segment.entered"]);
  });

  it("moves no customer for an event that the other has passed, and continues with the newer events", async () => {
    const { acme, loyalty, slow, beforeNext, listMoves, listMembers } = await openFollowed();
    await acme.segments.create({ name: "Vips", filter: ofTag("vip"), emitsEvents: true });
    const [first, second] = [
      await acme.users.create({ email: "first@example.com" }),
      await acme.users.create({ email: "second@example.com" }),
    ];
    await acme.tags.assign(first.id, "vip");
    beforeNext(async () => {
      await loyalty.refreshSegments();
      await acme.tags.unassign(first.id, "vip");
      await acme.tags.assign(second.id, "vip");
    });
    expect(await slow.refreshSegments()).toMatchObject({ entered: 1, left: 1 });
    expect(await listMoves()).toEqual(["segment.entered", "segment.left", "segment.entered"]);
    expect(await listMembers("vips")).toEqual(["second@example.com"]);
  });

  it("doesn't recount the members of a filter that has been replaced", async () => {
    const { acme, slow, beforeNext, listMembers } = await openFollowed();
    for (const slug of ["vip", "new"]) {
      const { id } = await acme.users.create({ email: `${slug}@example.com` });
      await acme.tags.assign(id, slug);
    }
    await acme.segments.create({ name: "Chosen", filter: ofTag("vip"), emitsEvents: true });
    await slow.refreshSegments();
    await acme.segments.update("chosen", { emitsEvents: false });
    await acme.segments.update("chosen", { emitsEvents: true });
    beforeNext(() => acme.segments.update("chosen", { filter: ofTag("new") }));
    await slow.refreshSegments();
    await slow.refreshSegments();
    expect(await listMembers("chosen")).toEqual(["new@example.com"]);
  });
});

describe("the slower of two processes that remove a tag", () => {
  it("emits nothing for a removal that the other has finished", async () => {
    const { acme, loyalty, slow, beforeNext } = await openFollowed();
    const rows = Array.from({ length: 1_500 }, () => ({ email: someEmail(), tags: ["vip"] }));
    await acme.users.import(rows);
    await acme.tags.delete("vip");
    beforeNext(() => loyalty.refreshSegments());
    await slow.refreshSegments();
    await expect
      .poll(async () => (await acme.events.list({ types: ["user_tag.deleted"] })).content.length)
      .toBe(1);
    const { content } = await acme.events.list({ types: ["user_tag.unassigned"], limit: 1_000 });
    expect(content).toHaveLength(1_000);
  });
});
