import { LoyaltyService } from "loyalty-kit";
import { checkStorage } from "loyalty-kit/storage";
import { describe, expect, it } from "vitest";
import { databases } from "./damageable.js";

const vips = { operator: "AND", conditions: [{ slug: "vip" }] } as const;

/** Opens a shop with twenty customers. The first ten are members of a segment that emits events. */
async function openFilledShop({ open }: (typeof databases)[number]) {
  const database = await open();
  const loyalty = new LoyaltyService({ storage: database.storage });
  const acme = loyalty.organization("acme");
  await acme.tags.create({ name: "VIP" });
  const ids: string[] = [];
  for (let nth = 0; nth < 20; nth += 1)
    ids.push((await acme.users.create({ email: `${nth}@example.com` })).id);
  await acme.tags.assignUsers("vip", { userIds: ids.slice(0, 10) });
  await acme.segments.create({ name: "Guests", filter: vips, emitsEvents: true });
  return { ...database, loyalty, acme, last: ids.at(-1) ?? "" };
}

describe.each(databases)("stored segment members on $name", (database) => {
  it("are stored and emitted correctly even if their row lacks the trailing bytes without members", async () => {
    const { storage, damage, loyalty, acme, last } = await openFilledShop(database);
    await damage("update loyalty_segment_slices set ordinals = substr(ordinals, 1, 2)");
    for (const change of ["assign", "unassign", "assign"] as const) {
      await acme.tags[change](last, "vip");
      await loyalty.refreshSegments();
    }
    const moves = (await acme.events.list({ types: ["segment.entered", "segment.left"] })).content;
    expect(moves.map(({ type }) => type)).toEqual(["segment.entered", "segment.left", "segment.entered"]);
    expect(await checkStorage(storage)).toEqual([]);
  });

  it("pass a check while changes are unread, and are reported if all of them are missing", async () => {
    const { storage, damage, loyalty, acme, last } = await openFilledShop(database);
    await acme.tags.assign(last, "vip");
    expect(await checkStorage(storage)).toEqual([]);
    await damage("delete from loyalty_segment_slices");
    const found = { organizationId: "acme", kind: "savedSegments", about: "members of guests" };
    expect(await checkStorage(storage)).toEqual([{ ...found, isRepaired: false }]);
    expect(await checkStorage(storage, { repair: true })).toEqual([{ ...found, isRepaired: true }]);
    expect(await loyalty.refreshSegments()).toMatchObject({ entered: 1, left: 0 });
    expect(await checkStorage(storage)).toEqual([]);
  });

  it("are removed by a check if their segment doesn't exist", async () => {
    const { storage, damage, rows } = await openFilledShop(database);
    await damage(`insert into loyalty_segment_slices (organization_id, slice, segment_id, ordinals)
      select organization_id, slice, 'seg_gone', ordinals from loyalty_segment_slices`);
    const found = { organizationId: "acme", kind: "references", about: "segment_slices.segment_id" };
    expect(await checkStorage(storage)).toEqual([{ ...found, isRepaired: false }]);
    expect(await checkStorage(storage, { repair: true })).toEqual([{ ...found, isRepaired: true }]);
    expect(await checkStorage(storage)).toEqual([]);
    expect(await rows("select slice from loyalty_segment_slices")).toHaveLength(1);
  });
});
