import assert from "node:assert/strict";
import type { Organization } from "loyalty-kit";
import { type Customer, cycleScattered, generateCustomers } from "./customers.js";
import { tagFilters } from "./tag-filters.js";
import type { Work } from "./timing.js";

/** The calls that are timed on files of different sizes. */
export const callNames = [
  "users.get",
  "contacts, newest",
  "contacts by name",
  "search for an email",
  "search for a family name",
  "search for two characters",
  "tag query, nested",
  "tags.assign and unassign",
] as const;

export type CallName = (typeof callNames)[number];

/** How many users are requested, spread over all. */
const ASKED = 1_000;

/** Creates the calls, and one more tag. @param size how many users the organization has. */
export async function createCalls(
  { users, contacts, tags }: Organization,
  size: number,
): Promise<Readonly<Record<CallName, Work>>> {
  const askedCustomers = pickCustomers(size);
  const [gotten, searchedCustomers, namedCustomers, taggedCustomers] = [
    askedCustomers,
    askedCustomers,
    askedCustomers,
    askedCustomers,
  ].map(cycleScattered);
  const filter = tagFilters[0]?.filter;
  assert(gotten && searchedCustomers && namedCustomers && taggedCustomers && filter);
  await tags.create({ name: "new" });
  const [someone] = askedCustomers;
  const { content } = await contacts.list({ search: someone?.email ?? "" });
  assert.deepEqual(
    content.map(({ email }) => email),
    [someone?.email],
  );
  return {
    "users.get": () => users.get(gotten.next().value.id),
    "contacts, newest": () => contacts.list(),
    "contacts by name": () => contacts.list({ sort: "name,asc" }),
    "search for an email": () => contacts.list({ search: searchedCustomers.next().value.email }),
    "search for a family name": () => contacts.list({ search: familyNameOf(namedCustomers.next().value) }),
    "search for two characters": () => contacts.list({ search: "zo" }),
    "tag query, nested": () => tags.query({ filter }),
    "tags.assign and unassign": async () => {
      const { id } = taggedCustomers.next().value;
      await tags.assign(id, "new");
      await tags.unassign(id, "new");
    },
  };
}

function pickCustomers(size: number): Customer[] {
  const every = Math.max(1, Math.floor(size / ASKED));
  return [...generateCustomers(size)].filter(({ ordinal }) => ordinal % every === 0);
}

function familyNameOf({ name }: Customer): string {
  return name.split(" ")[1] ?? name;
}
