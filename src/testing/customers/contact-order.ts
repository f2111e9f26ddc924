import assert from "node:assert/strict";
import { run } from "../../concurrency/step.js";
import type { ContactSortField } from "../../storage/contacts.js";
import type { StorageReader } from "../../storage/storage-adapter.js";
import type { Organization } from "../kit/organization.js";
import { pseudoRandom } from "../kit/pseudo-random.js";
import type { Statements } from "../kit/statements.js";
import { compareBy, compareTexts, type Direction, directions, sortFields } from "./contact-rule.js";

function* sorted(
  storage: StorageReader,
  organizationId: string,
  field: ContactSortField,
  direction: Direction,
) {
  const query = { search: null, stamps: null, sort: { field, direction }, offset: 0, limit: 1_000 };
  return (yield* storage.listContacts(organizationId, query)).users;
}

const someNames = [
  "",
  "a",
  "A",
  "aa",
  "ab",
  "B",
  "z",
  "é",
  "É",
  "e\u0301",
  "\u{1f600}",
  "\uff5e",
  "\ud7ff",
  " a",
  null,
];

/** Users with many ties, and with ids that tell nothing of their place. */
function manyUsers(acme: Organization) {
  const random = pseudoRandom(1);
  const users = Array.from({ length: 120 }, (_, at) => ({
    id: `usr_${String(random(1_000_000)).padStart(6, "0")}-${at}`,
    email: `${someNames[random(14)]}${at}@example.com`,
    name: someNames[random(15)] ?? null,
    externalId: random(3) === 0 ? null : `${someNames[random(14)]}${at}`,
    createdAt: random(20),
    updatedAt: random(20),
  }));
  // A place is after all users that are older, or as old with a lower id.
  return acme.users(users.sort((a, b) => a.createdAt - b.createdAt || compareTexts(a.id, b.id)));
}

const everyOrder: Statements = Object.fromEntries(
  sortFields.flatMap((field) =>
    directions.map((direction) => [
      `contacts are sorted by ${field}, ${direction}`,
      async (storage, acme) => {
        const users = await manyUsers(acme);
        const expected = users.toSorted(compareBy(field, direction));
        assert.deepEqual(await run(sorted(storage, acme.id, field, direction)), expected);
      },
    ]),
  ),
);

export const contactOrder: Statements = {
  ...everyOrder,

  "texts sort by their fold, not as they are written": async (storage, acme) => {
    await acme.users(["b", "A", "C", "a"].map((name, at) => ({ name, id: `usr_${at}` })));
    const names = (await run(sorted(storage, acme.id, "name", "asc"))).map(({ name }) => name);
    assert.deepEqual(names, ["A", "a", "b", "C"]);
  },

  "texts sort in code point order": async (storage, acme) => {
    const names = [
      "Z",
      "[",
      "a",
      "z",
      "é",
      "\ud7ff",
      "\ue000",
      "\uff5e",
      "\uffff",
      "\u{10000}",
      "\u{10ffff}",
    ];
    const expected = ["[", "a", "Z", "z", ...names.slice(4)];
    await acme.users(names.toReversed().map((name) => ({ name, id: `usr_${names.indexOf(name) + 10}` })));
    const found = (await run(sorted(storage, acme.id, "name", "asc"))).map(({ name }) => name);
    assert.deepEqual(found, expected);
  },

  "nulls are last in both directions": async (storage, acme) => {
    await acme.users([{ name: null }, { name: "a" }, { name: null }, { name: "b" }, { name: "" }]);
    for (const direction of directions) {
      const names = (await run(sorted(storage, acme.id, "name", direction))).map(({ name }) => name);
      assert.deepEqual(names, direction === "asc" ? ["", "a", "b", null, null] : ["b", "a", "", null, null]);
    }
  },

  "ties are in the order of the ids, in the direction of the sort": async (storage, acme) => {
    for (const [at, id] of ["usr_2", "usr_3", "usr_1"].entries()) {
      await acme.user({ id, createdAt: at, updatedAt: 5 });
    }
    for (const field of ["updatedAt", "name", "externalId"] as const) {
      const ids = async (direction: Direction) =>
        (await run(sorted(storage, acme.id, field, direction))).map(({ id }) => id);
      assert.deepEqual(await ids("asc"), ["usr_1", "usr_2", "usr_3"]);
      assert.deepEqual(await ids("desc"), ["usr_3", "usr_2", "usr_1"]);
    }
  },
};
