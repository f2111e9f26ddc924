import fc from "fast-check";
import type { Organization, TagFilter, User } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { someEmail } from "../kit/acme.js";
import { collect } from "../kit/collect.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { arbitraryTagFilters } from "./arbitraries.js";
import { matchesFilter, splitIntoPages } from "./oracle.js";
import { newOrganizations } from "./organizations.js";
import { storedRuns } from "./runs.js";

const slugs = ["a", "b", "c", "d", "e"];

type Customer = { user: User; readonly slugs: Set<string> };

/** Customers with random tags, in an organization with a history of users and tags. */
const histories = fc.record({
  taggings: fc.array(fc.subarray(slugs), { maxLength: 25 }),
  untagged: fc.array(fc.tuple(fc.nat(), fc.constantFrom(...slugs)), { maxLength: 10 }),
  deletedUsers: fc.array(fc.nat(), { maxLength: 6 }),
  renamedUsers: fc.array(fc.nat(), { maxLength: 4 }),
  deletedTags: fc.subarray(slugs, { maxLength: 2 }),
  renamedTags: fc.subarray(slugs, { maxLength: 2 }),
  recreated: fc.boolean(),
  late: fc.array(fc.subarray(slugs), { maxLength: 4 }),
});

type History = typeof histories extends fc.Arbitrary<infer H> ? H : never;

async function playHistory(acme: Organization, history: History): Promise<Customer[]> {
  const customers: Customer[] = [];
  const createUser = async (tags: readonly string[]) => {
    const user = await acme.users.create({ email: someEmail() });
    customers.push({ user, slugs: new Set() });
    for (const slug of tags) await assign(customers.length - 1, slug);
  };
  const assign = async (at: number, slug: string) => {
    const customer = customers[at];
    if (customer === undefined || !tags.has(slug)) return;
    await acme.tags.assign(customer.user.id, slug);
    customer.slugs.add(slug);
  };
  const tags = new Set(slugs);
  for (const name of slugs) await acme.tags.create({ name });
  for (const tagging of history.taggings) await createUser(tagging);
  for (const [place, slug] of history.untagged) {
    const customer = customers[place % customers.length];
    if (customer?.slugs.delete(slug)) await acme.tags.unassign(customer.user.id, slug);
  }
  for (const place of history.deletedUsers) {
    const [customer] = customers.splice(place % customers.length, 1);
    if (customer !== undefined) await acme.users.delete(customer.user.id);
  }
  for (const place of history.renamedUsers) {
    const customer = customers[place % customers.length];
    if (customer !== undefined)
      customer.user = await acme.users.update(customer.user.id, { name: `${place}` });
  }
  for (const slug of history.deletedTags) {
    await acme.tags.delete(slug);
    tags.delete(slug);
    for (const customer of customers) customer.slugs.delete(slug);
    if (history.recreated) {
      await acme.tags.create({ name: slug });
      tags.add(slug);
    }
  }
  for (const slug of history.renamedTags) if (tags.has(slug)) await acme.tags.update(slug, { name: "!!!" });
  for (const tagging of history.late) await createUser(tagging);
  return customers;
}

describe.each(everyAdapter)("a tag filter on $name", ({ name, open }) => {
  const newOrganization = newOrganizations(open);

  it("finds the users of the naive rule, on every page and in order, after any history", async () => {
    const queries = fc.array(
      fc.tuple(arbitraryTagFilters([...slugs, "unknown"]), fc.integer({ min: 1, max: 7 })),
      {
        minLength: 1,
        maxLength: 8,
      },
    );
    await fc.assert(
      fc.asyncProperty(histories, queries, async (history, queryList) => {
        const acme = newOrganization();
        const customers = await playHistory(acme, history);
        for (const [filter, size] of queryList) await expectAgreement(acme, customers, filter, size);
        for (const tag of await acme.tags.list()) {
          const holders = customers.filter(({ slugs }) => slugs.has(tag.slug)).map(({ user }) => user);
          expect(await collect(acme.tags.users(tag.slug))).toEqual(holders);
        }
        expect(await acme.tags.verifyIndex()).toMatchObject({ wrong: [] });
      }),
      storedRuns(50, name),
    );
  });
});

async function expectAgreement(
  acme: Organization,
  customers: readonly Customer[],
  filter: TagFilter,
  size: number,
) {
  const found = customers.filter((customer) => matchesFilter(customer.slugs, filter)).map(({ user }) => user);
  const totalPages = Math.ceil(found.length / size);
  for (const { number, content } of splitIntoPages(found, size)) {
    expect(await acme.tags.query({ filter, page: number, size })).toEqual({
      content,
      totalElements: found.length,
      totalPages,
      number,
      size,
      first: number === 0,
      last: number >= totalPages - 1,
      empty: content.length === 0,
    });
  }
}
