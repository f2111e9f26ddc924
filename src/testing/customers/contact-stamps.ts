import assert from "node:assert/strict";
import { run } from "../../concurrency/step.js";
import type { StorageAdapter } from "../../storage/storage-adapter.js";
import type { StoredTemplate } from "../../storage/templates.js";
import type { TestOrganization } from "../kit/organization.js";
import { someCard } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";
import { unlimited } from "./contact-search.js";

type Bounds = readonly [min: number | null, max: number | null];

/** Asserts who has a card of the template within the bounds, by name, and that the total counts them. */
async function assertHolders(
  storage: StorageAdapter,
  acme: TestOrganization,
  { id: templateId }: Pick<StoredTemplate, "id">,
  [min, max]: Bounds,
  expected: readonly string[],
  search: string | null = null,
) {
  const query = { ...unlimited, search, stamps: { templateId, min, max } };
  const { users, total } = await run(storage.listContacts(acme.id, query));
  assert.deepEqual([users.map(({ name }) => name), total], [expected, expected.length]);
}

/** A user called by the stamps on its cards of the template: `2, 9` has a card of two and one of nine. */
async function holder(acme: TestOrganization, template: StoredTemplate, stamps: readonly number[]) {
  const user = await acme.user({ name: stamps.join(", ") });
  for (const currentStamps of stamps) {
    await acme.pass(user, template, { card: someCard({ currentStamps }) });
  }
}

const one = [[0], [1], [2], [3], [4]];

/** The stamps on the cards of each user, and whom bounds find. A user without a card is found by none. */
const cases: Readonly<Record<string, readonly [number[][], ...(readonly [Bounds, string[]])[]]>> = {
  "the bounds are inclusive": [
    one,
    [
      [1, 3],
      ["1", "2", "3"],
    ],
    [[3, 3], ["3"]],
    [[4, 3], []],
  ],
  "a bound of null is none": [
    one,
    [
      [3, null],
      ["3", "4"],
    ],
    [
      [null, 1],
      ["0", "1"],
    ],
    [
      [null, null],
      ["0", "1", "2", "3", "4"],
    ],
  ],
  "one and the same card has to be within both bounds": [
    [
      [1, 9],
      [1, 5, 9],
    ],
    [[4, 6], ["1, 5, 9"]],
  ],
  "a user with several matching cards is found once": [
    [
      [3, 3, 4],
      [4, 5],
    ],
    [
      [3, null],
      ["3, 3, 4", "4, 5"],
    ],
  ],
};

export const contactStamps: Statements = {
  ...Object.fromEntries(
    Object.entries(cases).map(([sentence, [cards, ...found]]) => [
      sentence,
      async (storage, acme) => {
        const template = await acme.template();
        for (const stamps of [[], ...cards]) await holder(acme, template, stamps);
        for (const [bounds, names] of found) await assertHolders(storage, acme, template, bounds, names);
      },
    ]),
  ),

  "cards of another template do not count, and nobody has one of an unknown template": async (
    storage,
    acme,
  ) => {
    const [template, other] = [await acme.template(), await acme.template()];
    await holder(acme, template, [3]);
    await holder(acme, other, [4]);
    await assertHolders(storage, acme, template, [null, null], ["3"]);
    await assertHolders(storage, acme, { id: "tpl_none" }, [null, null], []);
  },

  "a pass without stamps matches nobody": async (storage, acme) => {
    const template = await acme.template({ type: "LOYALTY_CARD", maxStamps: null });
    await acme.pass(await acme.user(), template);
    const everyBounds: Bounds[] = [
      [null, null],
      [0, null],
      [null, 9],
    ];
    for (const bounds of everyBounds) await assertHolders(storage, acme, template, bounds, []);
  },

  "search and stamps both have to match": async (storage, acme) => {
    const template = await acme.template();
    const stampsOf = { Anna: 12, Hanna: 21, Hans: 31, Johanna: 2 };
    for (const [name, currentStamps] of Object.entries(stampsOf)) {
      await acme.pass(await acme.user({ name }), template, { card: someCard({ currentStamps }) });
    }
    await assertHolders(storage, acme, template, [10, 30], ["Anna", "Hanna"], "anna");
    await assertHolders(storage, acme, template, [10, 30], ["Anna", "Hanna"], "n");
    await assertHolders(storage, acme, template, [10, 40], ["Hans"], "hans");
    await assertHolders(storage, acme, template, [3, 10], [], "anna");
  },

  "the filter follows the card": async (storage, acme) => {
    const template = await acme.template();
    const pass = await acme.pass(await acme.user({ name: "Ada" }), template);
    await assertHolders(storage, acme, template, [1, null], []);
    await acme.stamp(pass.id);
    await assertHolders(storage, acme, template, [1, 1], ["Ada"]);
    await acme.write((tx) => tx.deletePass(acme.id, pass.id));
    await assertHolders(storage, acme, template, [null, null], []);
  },
};
