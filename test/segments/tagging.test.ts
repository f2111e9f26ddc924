import type { SegmentFilter } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { openAcme, someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail } from "../kit/refusal.js";

const recent: SegmentFilter = { operator: "AND", conditions: [{ lastVisit: { withinDays: 0 } }] };

describe.each(everyAdapter)("assigning a tag by behavior on $name", ({ open }) => {
  it("affects the customers who match the filter, and so does unassigning it", async () => {
    const { acme, clock } = openAcme({ storage: await open() });
    await acme.tags.create({ name: "Recent" });
    const template = await acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps: 10 });
    const passes = [];
    for (let at = 0; at < 3; at += 1) {
      const user = await acme.users.create({ email: someEmail() });
      passes.push(await acme.passes.create(template.id, { userId: user.id }));
    }
    for (const { id } of passes.slice(0, 2)) await acme.stamps.add(id);
    expect(await acme.tags.assignUsers("recent", { filter: recent })).toEqual({ changed: 2, unchanged: 0 });
    clock.move(2 * 86_400_000);
    for (const { id } of passes.slice(1)) await acme.stamps.add(id);
    const keyed = { filter: recent, idempotencyKey: "key" };
    expect(await acme.tags.assignUsers("recent", keyed)).toEqual({ changed: 1, unchanged: 1 });
    expect(await acme.tags.assignUsers("recent", keyed)).toEqual({ changed: 1, unchanged: 1 });
    expect(await acme.tags.unassignUsers("recent", { filter: recent })).toEqual({ changed: 2, unchanged: 0 });
    const tagged: SegmentFilter = { operator: "AND", conditions: [{ slug: "recent" }] };
    expect((await acme.segments.query({ filter: tagged })).content.map(({ id }) => id)).toEqual([
      passes[0]?.userId,
    ]);
  });

  it("needs the scopes for the data that the filter reads, except for tags", async () => {
    const { loyalty, acme } = openAcme({ storage: await open() });
    await acme.tags.create({ name: "Recent" });
    const writer = loyalty.organization("acme", { scopes: ["user_tag:write"] });
    expect(await getErrorDetail(writer.tags.assignUsers("recent", { filter: recent }))).toEqual({
      code: "access_denied",
      scope: "pass:read",
    });
    const byTag: SegmentFilter = { operator: "OR", conditions: [{ slug: "recent" }] };
    expect(await writer.tags.assignUsers("recent", { filter: byTag })).toEqual({ changed: 0, unchanged: 0 });
  });
});

describe.each(everyAdapter)("a stamp filter on $name", ({ open }) => {
  it("finds the same contacts as a leaf of a segment", async () => {
    const { acme } = openAcme({ storage: await open() });
    const template = await acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps: 9 });
    for (let count = 0; count < 12; count += 1) {
      const { id: userId } = await acme.users.create({ email: someEmail() });
      for (let card = 0; card <= count % 3; card += 1) {
        const { id } = await acme.passes.create(template.id, { userId });
        if (count + card > 0) await acme.stamps.add(id, { count: count + 3 * card });
      }
    }
    const bounds = [{}, { min: 3 }, { max: 4 }, { min: 2, max: 5 }, { min: 0, max: 0 }];
    for (const { min, max } of bounds) {
      const condition = { stamps: { templateId: template.id, min, max } };
      const found = await acme.segments.query({ filter: { operator: "AND", conditions: [condition] } });
      const contacts = await acme.contacts.list({
        templateId: template.id,
        sort: "createdAt,asc",
        ...(min !== undefined && { minStamps: min }),
        ...(max !== undefined && { maxStamps: max }),
      });
      expect(found.content.map(({ id }) => id)).toEqual(contacts.content.map(({ id }) => id));
    }
  });
});
