import type { ExportedUser } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { openAcme, someEmail } from "../kit/acme.js";
import { collect } from "../kit/collect.js";
import { everyAdapter } from "../kit/every-adapter.js";

function withoutOrder({ id, createdAt, updatedAt, ...rest }: ExportedUser) {
  return rest;
}

describe.each(everyAdapter)("an export on $name", ({ open }) => {
  it("lists every user, oldest first, with the slugs of its tags, oldest assignment first", async () => {
    const { acme, clock } = openAcme({ storage: await open() });
    for (const name of ["a", "b", "c"]) await acme.tags.create({ name });
    const ada = await acme.users.create({ email: "ada@example.com", metadata: { a: [1] } });
    const bob = await acme.users.create({ email: "bob@example.com" });
    for (const slug of ["b", "c", "a"]) {
      await acme.tags.assign(ada.id, slug);
      clock.move(1);
    }
    await acme.tags.unassign(ada.id, "c");
    expect(await collect(acme.users.export())).toEqual([
      { ...ada, tags: ["b", "a"] },
      { ...bob, tags: [] },
    ]);
  });

  it("is empty when there are no users", async () => {
    const { acme } = openAcme({ storage: await open() });
    expect(await collect(acme.users.export())).toEqual([]);
  });

  it("creates the same users in an empty organization, except for ids and times", async () => {
    const { acme, loyalty } = openAcme({ storage: await open() });
    const rows = Array.from({ length: 1_001 }, (_, at) => ({
      email: someEmail(),
      ...(at % 2 === 0 && {
        externalId: `c-${at}`,
        name: `Customer ${at}`,
        metadata: { at, ["__proto__"]: null },
      }),
      tags: ["a", "b", "c", "d"].filter((_tag, bit) => (at >> bit) % 2 === 1).sort(() => (at % 3) - 1),
    }));
    await acme.users.import(rows, { createTags: true });
    const copy = loyalty.organization("copy");
    const result = await copy.users.import(acme.users.export(), { createTags: true });
    expect(result).toEqual({ created: 1_001, updated: 0, unchanged: 0, failed: [] });
    const [all, copiedUsers] = [await collect(acme.users.export()), await collect(copy.users.export())];
    expect(copiedUsers.map(withoutOrder)).toEqual(all.map(withoutOrder));
    expect(all.map(({ tags }) => tags)).toEqual(rows.map(({ tags }) => tags));
  });
});
