import fc from "fast-check";
import type { ContactListQuery, User } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { filledTexts } from "./arbitraries.js";
import { arbitraryFewLetters, Customers, contactSteps, hasTerm } from "./contact-steps.js";
import { compareCodePoints, foldText, splitIntoPages } from "./oracle.js";
import { newOrganizations } from "./organizations.js";
import { storedRuns } from "./runs.js";

type Sort = NonNullable<ContactListQuery["sort"]>;

const fields = ["createdAt", "updatedAt", "email", "name", "externalId"] as const;
const sorts: Sort[] = fields.flatMap((field): Sort[] => [`${field},asc`, `${field},desc`]);

/** Few names, so that many are equal, and some that are only sorted right by code points or by folding. */
const names = fc.option(
  fc.oneof(
    fc.constantFrom(
      "a",
      "A",
      "b",
      "B",
      "é",
      "e\u0301",
      "É",
      "\uFFFF",
      "\u{10000}",
      "ς",
      "Στ",
      "İ",
      "ı",
      "ﬅ",
      "ꭰ",
      "Ꭰ",
      "z",
      "Z",
      "_",
      "a b",
      "ab",
    ),
    filledTexts(6),
  ),
);

/** Returns the comparison of a sort: nulls last in both directions, ties by id in the same direction. */
function compareBy(sort: Sort): (a: User, b: User) => number {
  const [name, direction] = sort.split(",");
  const field = fields.find((each) => each === name) ?? "createdAt";
  const sign = direction === "asc" ? 1 : -1;
  return (a, b) => {
    const [x, y] = [a[field], b[field]];
    if (x === null || y === null)
      return Number(x === null) - Number(y === null) || sign * compareCodePoints(a.id, b.id);
    return sign * (compareCodePoints(foldText(x), foldText(y)) || compareCodePoints(a.id, b.id));
  };
}

describe.each(everyAdapter)("a sorted list of contacts on $name", ({ name, open }) => {
  const newOrganization = newOrganizations(open);
  const customers = fc.array(fc.record({ name: names, externalId: fc.option(filledTexts(4)) }), {
    maxLength: 12,
  });

  it("has the order of the naive rule, on every page", async () => {
    const changes = fc.array(fc.tuple(fc.nat(), names), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(customers, changes, fc.integer({ min: 1, max: 5 }), async (list, renames, size) => {
        const acme = newOrganization();
        const users = new Map<string, User>();
        const usedIds = new Set<string | null>();
        for (const { name, externalId } of list) {
          const freeId = usedIds.has(externalId) ? null : externalId;
          const user = await acme.users.create({ email: someEmail(), name, externalId: freeId });
          users.set(user.id, user);
          usedIds.add(freeId);
        }
        for (const [place, name] of users.size === 0 ? [] : renames) {
          const id = [...users.keys()][place % users.size] ?? "";
          users.set(id, await acme.users.update(id, { name }));
        }
        for (const sort of sorts) {
          const sorted = [...users.values()].sort(compareBy(sort)).map(({ id }) => id);
          for (const { number, content } of splitIntoPages(sorted, size)) {
            const page = await acme.contacts.list({ sort, page: number, size });
            expect([sort, page.content.map(({ id }) => id)]).toEqual([sort, content]);
            expect(page.totalElements).toBe(sorted.length);
          }
        }
      }),
      storedRuns(40, name),
    );
  });

  it("has that order after any writes, with and without a search", async () => {
    const searches = fc.array(arbitraryFewLetters(1, 4), { minLength: 1, maxLength: 2 });
    const sizes = fc.integer({ min: 1, max: 4 });
    await fc.assert(
      fc.asyncProperty(contactSteps, searches, sizes, async (steps, terms, size) => {
        const customers = new Customers(newOrganization());
        for (const step of steps) await customers.runStep(step);
        for (const search of [undefined, ...terms]) {
          const found = customers.users.filter((user) => search === undefined || hasTerm(user, search));
          for (const sort of sorts) {
            const sorted = found.toSorted(compareBy(sort)).map(({ id }) => id);
            for (const { number, content } of splitIntoPages(sorted, size)) {
              const query = { sort, page: number, size, ...(search !== undefined && { search }) };
              const page = await customers.acme.contacts.list(query);
              expect([query, page.content.map(({ id }) => id)]).toEqual([query, content]);
              expect(page.totalElements).toBe(sorted.length);
            }
          }
        }
      }),
      storedRuns(40, name),
    );
  });
});
