import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { recordEvents } from "../events/recorded-events.js";
import { openAcme } from "../kit/acme.js";
import { collect } from "../kit/collect.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail, getRefusedFields, notFound } from "../kit/refusal.js";
import { runs } from "../properties/runs.js";

async function openShop(storage: Parameters<typeof openAcme>[0]) {
  const { acme, loyalty } = openAcme(storage);
  await acme.tags.create({ name: "Regulars" });
  await acme.tags.create({ name: "Regular" });
  const events = recordEvents(loyalty);
  const listUserIds = async (slug: string) =>
    (await collect(acme.tags.users(slug))).map(({ id }) => id).sort();
  return { acme, events, listUserIds };
}

describe.each(everyAdapter)("merging a tag into another on $name", ({ name, open }) => {
  it("gives its users the other tag, emits an event for each change, and frees its slug", async () => {
    const { acme, events, listUserIds } = await openShop({ storage: await open() });
    const ada = await acme.users.create({ email: "ada@example.com" });
    const bob = await acme.users.create({ email: "bob@example.com" });
    for (const { id } of [ada, bob]) await acme.tags.assign(id, "regulars");
    await acme.tags.assign(bob.id, "regular");
    events.length = 0;
    const idempotencyKey = "merge";
    const merged = await acme.tags.merge("regulars", { into: "regular", idempotencyKey });
    expect(merged).toEqual({ changed: 1, unchanged: 1 });
    expect(await listUserIds("regular")).toEqual([ada.id, bob.id].sort());
    expect(events.map(({ type }) => type)).toEqual([
      "user_tag.unassigned",
      "user_tag.assigned",
      "user_tag.unassigned",
      "user_tag.merged",
      "user_tag.deleted",
    ]);
    expect(events[3]?.data).toMatchObject({
      userTag: { slug: "regulars" },
      into: { slug: "regular" },
      ...merged,
    });
    expect(await acme.tags.merge("regulars", { into: "regular", idempotencyKey })).toEqual(merged);
    expect(await acme.tags.create({ name: "Regulars" })).toMatchObject({ slug: "regulars" });
    expect(await acme.tags.verifyIndex()).toMatchObject({ wrong: [] });
  });

  it("requires two different tags that exist, and changes nothing otherwise", async () => {
    const { acme, events, listUserIds } = await openShop({ storage: await open() });
    const ada = await acme.users.create({ email: "ada@example.com" });
    await acme.tags.assign(ada.id, "regulars");
    events.length = 0;
    expect(await getErrorDetail(acme.tags.merge("regulars", { into: "none" }))).toMatchObject(notFound);
    expect(await getErrorDetail(acme.tags.merge("none", { into: "regular" }))).toMatchObject(notFound);
    expect(await getRefusedFields(acme.tags.merge("regulars", { into: "regulars" }))).toEqual(["into"]);
    expect(await listUserIds("regulars")).toEqual([ada.id]);
    expect(events).toEqual([]);
  });

  it("leaves the union of both tags' users", async () => {
    const member = fc.record({ from: fc.boolean(), into: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(member, { maxLength: 12 }), async (members) => {
        const storage = await open();
        const { acme, listUserIds } = await openShop({ storage });
        const union: string[] = [];
        for (const [at, { from, into }] of members.entries()) {
          const { id } = await acme.users.create({ email: `${at}@example.com` });
          if (from) await acme.tags.assign(id, "regulars");
          if (into) await acme.tags.assign(id, "regular");
          if (from || into) union.push(id);
        }
        const { changed, unchanged } = await acme.tags.merge("regulars", { into: "regular" });
        expect(changed).toBe(members.filter(({ from, into }) => from && !into).length);
        expect(unchanged).toBe(members.filter(({ from, into }) => from && into).length);
        expect(await listUserIds("regular")).toEqual(union.sort());
        // The next case opens a storage of its own.
        await storage.close();
      }),
      runs(10, name),
    );
  });
});
