import assert from "node:assert/strict";
import { run } from "../../concurrency/step.js";
import type { Statements } from "../kit/statements.js";
import { contactsByRule, directions } from "./contact-rule.js";
import { unlimited } from "./contact-search.js";

export const contactPages: Statements = {
  "a page is a part of all that match, in order, with the total of all, also past the end": async (
    storage,
    acme,
  ) => {
    const names = Array.from({ length: 9 }, (_, at) => `${at % 2 === 0 ? "even" : "odd"} ${at}`);
    const users = await acme.users(names.map((name) => ({ name })));
    for (const search of [null, "odd"]) {
      for (const direction of directions) {
        const sort = { field: "name", direction } as const;
        for (let limit = 1; limit <= 10; limit += 1) {
          for (const offset of [0, 1, 2, 3, 4, 5, 8, 9, 10, 1_000_000]) {
            const query = { search, stamps: null, sort, offset, limit };
            const expected = contactsByRule(users, [], query);
            assert.deepEqual(await run(storage.listContacts(acme.id, query)), expected);
          }
        }
      }
    }
  },

  "contacts of an organization without users are none": async (storage, acme) => {
    for (const search of [null, "a"]) {
      const found = await run(storage.listContacts(acme.id, { ...unlimited, search }));
      assert.deepEqual(found, { users: [], total: 0 });
    }
  },
};
