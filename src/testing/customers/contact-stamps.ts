import assert from "node:assert/strict";
import { run } from "../../concurrency/step.js";
import type { StorageReader } from "../../storage/storage-adapter.js";
import type { StoredTemplate } from "../../storage/templates.js";
import type { Organization } from "../kit/organization.js";
import { someCard } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

/** The names of the users with a card of the template within the bounds, and how many match in all. */
function* withStamps(
  storage: StorageReader,
  acme: Organization,
  template: Pick<StoredTemplate, "id">,
  [min, max]: readonly [number | null, number | null],
  search: string | null = null,
) {
  const { users, total } = yield* storage.listContacts(acme.id, {
    search,
    stamps: { templateId: template.id, min, max },
    sort: { field: "createdAt", direction: "asc" },
    offset: 0,
    limit: 1_000,
  });
  assert.equal(total, users.length);
  return users.map(({ name }) => name);
}

/** A user called by the stamps on its cards of the template: `2, 9` has a card of two and one of nine. */
async function holder(acme: Organization, template: StoredTemplate, ...stamps: number[]) {
  const user = await acme.user({ name: stamps.join(", ") });
  for (const currentStamps of stamps) {
    await acme.pass(user, template, { card: someCard({ currentStamps }) });
  }
  return user;
}

export const contactStamps: Statements = {
  "the bounds are inclusive": async (storage, acme) => {
    const template = await acme.template();
    for (let stamps = 0; stamps < 6; stamps += 1) await holder(acme, template, stamps);
    assert.deepEqual(await run(withStamps(storage, acme, template, [2, 4])), ["2", "3", "4"]);
    assert.deepEqual(await run(withStamps(storage, acme, template, [3, 3])), ["3"]);
    assert.deepEqual(await run(withStamps(storage, acme, template, [4, 3])), []);
  },

  "a bound of null is none": async (storage, acme) => {
    const template = await acme.template();
    for (let stamps = 0; stamps < 4; stamps += 1) await holder(acme, template, stamps);
    await acme.user({ name: "without a card" });
    assert.deepEqual(await run(withStamps(storage, acme, template, [2, null])), ["2", "3"]);
    assert.deepEqual(await run(withStamps(storage, acme, template, [null, 1])), ["0", "1"]);
    assert.deepEqual(await run(withStamps(storage, acme, template, [null, null])), ["0", "1", "2", "3"]);
  },

  "one and the same card has to be within both bounds": async (storage, acme) => {
    const template = await acme.template();
    await holder(acme, template, 1, 9);
    await holder(acme, template, 1, 5, 9);
    assert.deepEqual(await run(withStamps(storage, acme, template, [4, 6])), ["1, 5, 9"]);
  },

  "a user with several matching cards is found once": async (storage, acme) => {
    const template = await acme.template();
    await holder(acme, template, 3, 3, 4);
    await holder(acme, template, 4, 5);
    assert.deepEqual(await run(withStamps(storage, acme, template, [3, null])), ["3, 3, 4", "4, 5"]);
  },

  "cards of another template do not count": async (storage, acme) => {
    const [template, other] = [await acme.template(), await acme.template()];
    await holder(acme, template, 3);
    await holder(acme, other, 4);
    assert.deepEqual(await run(withStamps(storage, acme, template, [null, null])), ["3"]);
  },

  "an unknown template matches nobody": async (storage, acme) => {
    await holder(acme, await acme.template(), 3);
    assert.deepEqual(await run(withStamps(storage, acme, { id: "tpl_none" }, [null, null])), []);
  },

  "a pass without stamps matches nobody": async (storage, acme) => {
    const template = await acme.template({ type: "LOYALTY_CARD", maxStamps: null });
    await acme.pass(await acme.user(), template);
    for (const bounds of [
      [null, null],
      [0, null],
      [null, 9],
    ] as const) {
      assert.deepEqual(await run(withStamps(storage, acme, template, bounds)), []);
    }
  },

  "search and stamps both have to match": async (storage, acme) => {
    const template = await acme.template();
    const stampsOf = { Anna: 12, Hanna: 21, Hans: 31, Johanna: 2 };
    for (const [name, currentStamps] of Object.entries(stampsOf)) {
      await acme.pass(await acme.user({ name }), template, { card: someCard({ currentStamps }) });
    }
    assert.deepEqual(await run(withStamps(storage, acme, template, [10, 30], "anna")), ["Anna", "Hanna"]);
    assert.deepEqual(await run(withStamps(storage, acme, template, [10, 30], "n")), ["Anna", "Hanna"]);
    assert.deepEqual(await run(withStamps(storage, acme, template, [10, 40], "hans")), ["Hans"]);
    assert.deepEqual(await run(withStamps(storage, acme, template, [3, 10], "anna")), []);
  },

  "the filter follows the card": async (storage, acme) => {
    const template = await acme.template();
    const user = await acme.user({ name: "Ada" });
    const pass = await acme.pass(user, template);
    assert.deepEqual(await run(withStamps(storage, acme, template, [1, null])), []);
    await acme.stamp(pass.id);
    assert.deepEqual(await run(withStamps(storage, acme, template, [1, 1])), ["Ada"]);
    await acme.write((tx) => tx.deletePass(acme.id, pass.id));
    assert.deepEqual(await run(withStamps(storage, acme, template, [null, null])), []);
  },
};
