import assert from "node:assert/strict";
import { runStep, type Step } from "../../../../src/base/concurrency/step.js";
import { fold } from "../../../../src/base/values/text.js";
import type { ContactQuery } from "../../../../src/storage/contacts.js";
import type { StoredPass } from "../../../../src/storage/passes.js";
import type { StorageReader } from "../../../../src/storage/storage-adapter.js";
import type { StoredTemplate } from "../../../../src/storage/templates.js";
import type { StoredUser } from "../../../../src/storage/users.js";
import { SuiteOrganization } from "../kit/organization.js";
import { pseudoRandom } from "../kit/pseudo-random.js";
import { someCard } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";
import { directions, listExpectedContacts, sortFields } from "./contact-rule.js";
import { listSubstrings } from "./contact-search.js";

/** Name fragments that share many characters, so that most near matches are not matches. */
const pieces = [
  ...["anna", "ann", "nan", "na", "n", "Ana", "anan", "banana", " ", "  ", "-", "%", "_", '"', "'", "*"],
  ...["é", "e\u0301", "😀", "😁", "\u{10ffff}", "AND", "NEAR(", "^", ":", "\\"],
];

function someText(random: (below: number) => number): string {
  return Array.from({ length: 1 + random(4) }, () => pieces[random(pieces.length)] ?? "").join("");
}

interface Customers {
  readonly users: readonly StoredUser[];
  readonly passes: readonly StoredPass[];
  readonly templates: readonly StoredTemplate[];
}

/** Adds users, most of them with names made from the fragments and with cards for two templates. */
async function createManyCustomers(acme: SuiteOrganization, count: number, seed: number): Promise<Customers> {
  const random = pseudoRandom(seed);
  const createText = () => someText(random);
  const fields = Array.from({ length: count }, (_, at) => ({
    id: `usr_${String(at).padStart(4, "0")}`,
    email: `${createText()}${at}@example.com`,
    name: random(4) === 0 ? null : createText(),
    phone: random(2) === 0 ? null : `+49 ${random(1_000)}`,
    externalId: random(3) === 0 ? null : `${createText()}${at}`,
    createdAt: Math.floor(at / 3),
    updatedAt: random(20),
  }));
  return acme.write(function* (tx) {
    const rows = acme.withTransaction(tx);
    const users = yield* rows.users(fields);
    const templates = [yield* rows.template(), yield* rows.template()];
    const passes: StoredPass[] = [];
    for (const user of users) {
      for (let remaining = random(3); remaining > 0; remaining -= 1) {
        const template = templates[random(2)];
        const card = someCard({ currentStamps: random(6) });
        if (template !== undefined) passes.push(yield* rows.pass(user, template, { card }));
      }
    }
    return { users, passes, templates };
  });
}

const searches = [
  null,
  "an",
  "n",
  "ana",
  "anan",
  "nana",
  "banana",
  "anna ",
  "example.com",
  "+49 1",
  "😀",
  "none",
];

function listStampFilters([one]: readonly StoredTemplate[]): ContactQuery["stamps"][] {
  const templateId = one?.id ?? "";
  return [
    null,
    { templateId, min: null, max: null },
    { templateId, min: 2, max: 4 },
    { templateId, min: 3, max: null },
    { templateId, min: null, max: 0 },
  ];
}

type Page = readonly [offset: number, limit: number];

/**
 * Compares pages of a list with the reference implementation.
 * @returns the list's total.
 */
function* assertPagesMatch(
  reader: StorageReader,
  { users, passes }: Customers,
  list: Omit<ContactQuery, "offset" | "limit">,
  pages: readonly Page[] = [[0, 100]],
): Step<number> {
  const all = listExpectedContacts(users, passes, { ...list, offset: 0, limit: users.length });
  for (const [offset, limit] of pages) {
    const query = { ...list, offset, limit };
    const expected = { ...all, users: all.users.slice(offset, offset + limit) };
    assert.deepEqual(yield* reader.listContacts(query), expected, JSON.stringify(query));
  }
  return all.total;
}

/** Pages at the start, around the middle, at the end, and past the end of 90 rows. */
const pagesOf90: readonly Page[] = [
  [0, 1_000],
  [7, 7],
  [35, 10],
  [83, 20],
  [90, 5],
];

const everySort: Statements = Object.fromEntries(
  sortFields.flatMap((field) =>
    directions.map((direction) => [
      `pages by ${field}, ${direction}, of every search and stamp filter follow the rule`,
      async (storage, acme) => {
        const customers = await createManyCustomers(acme, 90, 17);
        let total = 0;
        for (const [at, search] of searches.entries()) {
          for (const [by, stamps] of listStampFilters(customers.templates).entries()) {
            const list = { search, stamps, sort: { field, direction } };
            const pages = pagesOf90.filter((_, page) => (at + by + page) % 3 === 0);
            total += await runStep(assertPagesMatch(storage.reader(acme.id), customers, list, pages));
          }
        }
        assert.ok(total > 600, `only ${total} were found`);
      },
    ]),
  ),
);

export const contactQueries: Statements = {
  ...everySort,

  "every page of a long list follows the rule, in every sort order": async (storage, acme) => {
    const customers = await createManyCustomers(acme, 400, 23);
    for (const field of sortFields) {
      for (const direction of directions) {
        for (const search of [null, "an"]) {
          const list = { search, stamps: null, sort: { field, direction } };
          const pages = Array.from({ length: 9 }, (_, at): Page => [45 * at, 45]);
          await runStep(assertPagesMatch(storage.reader(acme.id), customers, list, pages));
        }
      }
    }
  },

  "every part of every text is found, but only in its own organization": async (storage, acme) => {
    const globex = new SuiteOrganization(storage, "globex");
    const [acmes, globexes] = [
      await createManyCustomers(acme, 25, 31),
      await createManyCustomers(globex, 25, 31),
    ];
    const more = await acme.user({ name: "banana anna", createdAt: 1_000 });
    const all: [SuiteOrganization, Customers][] = [
      [acme, { ...acmes, users: [...acmes.users, more] }],
      [globex, globexes],
    ];
    const texts = acmes.users.flatMap(({ name, externalId }) => [name ?? "", externalId ?? ""]);
    const terms = new Set(texts.flatMap((text) => listSubstrings(fold(text), 5)));
    assert.ok(terms.size > 300, `only ${terms.size} terms`);
    for (const search of terms) {
      const sort = { field: "createdAt", direction: "asc" } as const;
      for (const [organization, customers] of all) {
        await runStep(
          assertPagesMatch(storage.reader(organization.id), customers, { search, stamps: null, sort }),
        );
      }
    }
  },
};
