import assert from "node:assert/strict";
import { runStep } from "../../../../src/base/concurrency/step.js";
import type { ContactSortField } from "../../../../src/storage/contacts.js";
import type { StorageAdapter } from "../../../../src/storage/storage-adapter.js";
import type { SuiteOrganization } from "../kit/organization.js";
import { pseudoRandom } from "../kit/pseudo-random.js";
import type { Statements } from "../kit/statements.js";
import { compareBy, compareTexts, type Direction, directions, sortFields } from "./contact-rule.js";
import { unlimited } from "./contact-search.js";

async function listSorted(
  storage: StorageAdapter,
  acme: SuiteOrganization,
  field: ContactSortField,
  direction: Direction,
) {
  const query = { ...unlimited, search: null, sort: { field, direction } };
  return (await runStep(storage.reader(acme.id).listContacts(query))).users;
}

const texts = "|a|A|aa|ab|B|z|é|É|e\u0301|\u{1f600}|\uff5e|\ud7ff| a".split("|");
const someNames = [...texts, null];

/** Adds users with many ties, and with IDs that don't follow their order. */
function addManyUsers(acme: SuiteOrganization) {
  const random = pseudoRandom(1);
  const users = Array.from({ length: 120 }, (_, at) => ({
    id: `usr_${String(random(1_000_000)).padStart(6, "0")}-${at}`,
    email: random(3) === 0 ? null : `${someNames[random(14)]}${at}@example.com`,
    name: someNames[random(15)] ?? null,
    externalId: random(3) === 0 ? null : `${someNames[random(14)]}${at}`,
    createdAt: random(20),
    updatedAt: random(20),
  }));
  // Users must be inserted in order of creation time, and of ID if the times are equal.
  return acme.users(users.sort((a, b) => a.createdAt - b.createdAt || compareTexts(a.id, b.id)));
}

const everyOrder: Statements = Object.fromEntries(
  sortFields.flatMap((field) =>
    directions.map((direction) => [
      `contacts are sorted by ${field}, ${direction}`,
      async (storage, acme) => {
        const users = await addManyUsers(acme);
        const expected = users.toSorted(compareBy(field, direction));
        assert.deepEqual(await listSorted(storage, acme, field, direction), expected);
      },
    ]),
  ),
);

/** Names in shuffled order, with the expected ascending and descending order. */
const cases: Readonly<Record<string, readonly [given: (string | null)[], asc: unknown[], desc: unknown[]]>> =
  {
    "texts are sorted by their fold, not as they are written": [
      ["b", "A", "C", "a"],
      ["A", "a", "b", "C"],
      ["C", "b", "a", "A"],
    ],
    "texts are sorted in code point order": [
      [..."\u{10ffff}\u{10000}\uffff\uff5e\ue000\ud7ffézaZ["],
      [..."[azZé\ud7ff\ue000\uff5e\uffff\u{10000}\u{10ffff}"],
      [..."\u{10ffff}\u{10000}\uffff\uff5e\ue000\ud7fféZza["],
    ],
    "nulls come last in both directions": [
      [null, "a", null, "b", ""],
      ["", "a", "b", null, null],
      ["b", "a", "", null, null],
    ],
  };

export const contactOrder: Statements = {
  ...everyOrder,

  ...Object.fromEntries(
    Object.entries(cases).map(([sentence, [names, asc, desc]]) => [
      sentence,
      async (storage, acme) => {
        await acme.users(names.map((name, at) => ({ name, id: `usr_${at + 10}` })));
        const listNames = async (direction: Direction) =>
          (await listSorted(storage, acme, "name", direction)).map(({ name }) => name);
        assert.deepEqual([await listNames("asc"), await listNames("desc")], [asc, desc]);
      },
    ]),
  ),

  "ties are sorted by id, in the direction of the sort": async (storage, acme) => {
    const ids = ["usr_2", "usr_3", "usr_1"];
    for (const [at, id] of ids.entries()) await acme.user({ id, email: null, createdAt: at, updatedAt: 5 });
    for (const field of ["updatedAt", "email", "name", "externalId"] as const) {
      const listIds = async (direction: Direction) =>
        (await listSorted(storage, acme, field, direction)).map(({ id }) => id);
      assert.deepEqual(await listIds("asc"), ids.toSorted());
      assert.deepEqual(await listIds("desc"), ids.toSorted().reverse());
    }
  },
};
