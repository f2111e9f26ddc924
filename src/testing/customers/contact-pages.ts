import assert from "node:assert/strict";
import { run } from "../../concurrency/step.js";
import type { ContactQuery } from "../../storage/contacts.js";
import type { Statements } from "../kit/statements.js";

const byName: ContactQuery = {
  search: null,
  stamps: null,
  sort: { field: "name", direction: "asc" },
  offset: 0,
  limit: 10,
};

const named = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ name: `${at % 2 === 0 ? "even" : "odd"} ${10 + at}` }));

export const contactPages: Statements = {
  "the total counts all that match, not the page": async (storage, acme) => {
    await acme.users(named(7));
    const page = await run(storage.listContacts(acme.id, { ...byName, limit: 2 }));
    assert.deepEqual([page.users.length, page.total], [2, 7]);
    const found = await run(storage.listContacts(acme.id, { ...byName, limit: 2, search: "even" }));
    assert.deepEqual([found.users.length, found.total], [2, 4]);
  },

  "pages of any size put together are all that match, in order": async (storage, acme) => {
    const users = await acme.users(named(9));
    for (const [search, direction] of [
      [null, "asc"],
      ["odd", "asc"],
      ["odd", "desc"],
    ] as const) {
      const all = users.filter(({ name }) => search === null || name?.includes(search));
      const expected = all.toSorted((a, b) => ((a.name ?? "") < (b.name ?? "") ? -1 : 1));
      if (direction === "desc") expected.reverse();
      const query = { ...byName, search, sort: { field: "name", direction } as const };
      for (let limit = 1; limit <= 10; limit += 1) {
        const pages: typeof users = [];
        for (let offset = 0; offset < expected.length; offset += limit) {
          const page = await run(storage.listContacts(acme.id, { ...query, offset, limit }));
          assert.equal(page.total, expected.length);
          assert.ok(page.users.length <= limit);
          pages.push(...page.users);
        }
        assert.deepEqual(pages, expected);
      }
    }
  },

  "a page past the end is empty, with the true total": async (storage, acme) => {
    await acme.users(named(3));
    for (const offset of [3, 4, 1_000_000]) {
      assert.deepEqual(await run(storage.listContacts(acme.id, { ...byName, offset })), {
        users: [],
        total: 3,
      });
    }
  },

  "contacts of an organization without users are none": async (storage, acme) => {
    assert.deepEqual(await run(storage.listContacts(acme.id, byName)), { users: [], total: 0 });
    assert.deepEqual(await run(storage.listContacts(acme.id, { ...byName, search: "a" })), {
      users: [],
      total: 0,
    });
  },
};
