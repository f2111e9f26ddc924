import assert from "node:assert/strict";
import { LoyaltyService, type Organization } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { BLOCK_SIZE } from "../adapters/storage/kysely/contacts/search-blocks.js";
import { type Customer, generateCustomers, listTagSlugs, ORGANIZATION } from "./customers.js";
import type { NewCustomer } from "./hand-written.js";

/** Customers to come: seven of ten with two tags, the others with one. */
export function* generateNewCustomers(count: number): Generator<NewCustomer, void, undefined> {
  const slugs = listTagSlugs(count);
  for (const customer of generateCustomers(count)) yield toNewCustomer(customer, slugs);
}

/** Splits the customers into batches of this size, and the rest. */
export function* splitIntoBatches(
  all: Iterable<NewCustomer>,
  size: number,
): Generator<NewCustomer[], void, undefined> {
  let rows: NewCustomer[] = [];
  for (const row of all) {
    rows.push(row);
    if (rows.length < size) continue;
    yield rows;
    rows = [];
  }
  if (rows.length > 0) yield rows;
}

/** Generates customers that are in none of the filled files. */
export function* generateUnknownCustomers(): Generator<NewCustomer, never, undefined> {
  for (let runNumber = 0; ; runNumber += 1) {
    for (const { email, externalId, ...rest } of generateNewCustomers(10_000)) {
      yield { ...rest, email: `new.${runNumber}.${email}`, externalId: `N-${runNumber}-${externalId}` };
    }
  }
}

/** The library's way to add them. */
export function toInput({ tags: _, ...user }: NewCustomer) {
  return user;
}

/** An empty file with the tags of this many customers, and one user, so that all its counters exist. */
export async function createFileToImport(file: string, count: number): Promise<string> {
  const loyalty = new LoyaltyService({ storage: await sqliteStorage(file) });
  const { tags, users } = loyalty.organization(ORGANIZATION);
  for (const name of listTagSlugs(count)) await tags.create({ name });
  // Whole blocks come into the search index, and the organization with the first one.
  await users.import(Array.from({ length: BLOCK_SIZE }, (_, at) => ({ email: `first-${at}@example.net` })));
  await loyalty.close();
  return file;
}

/** Opens both files with the library. @throws when their newest users, with tags, or their events differ. */
export async function assertSameFiles(ours: string, byHand: string): Promise<void> {
  const [ourNewest, newestByHand] = await Promise.all([ours, byHand].map(readNewest));
  assert.deepEqual(newestByHand, ourNewest);
}

async function readNewest(file: string) {
  const loyalty = new LoyaltyService({ storage: await sqliteStorage(file) });
  try {
    const organization = loyalty.organization(ORGANIZATION);
    const { wrong } = await organization.tags.verifyIndex();
    assert.deepEqual(wrong, [], "every set is right");
    const { content, totalElements } = await organization.contacts.list({ size: 20 });
    const users = await Promise.all(content.map((contact) => describeUser(organization, contact.id)));
    return { users, totalElements, events: await countEvents(organization) };
  } finally {
    await loyalty.close();
  }
}

async function describeUser({ users, contacts, tags }: Organization, id: string) {
  const { email, name, phone, externalId, metadata } = await users.get(id);
  const found = await contacts.list({ search: email ?? "" });
  const slugs = (await tags.ofUser(id)).map(({ slug }) => slug);
  return { email, name, phone, externalId, metadata, found: found.totalElements, slugs };
}

/** Counts the events of each type, and lists their fields. */
export async function countEvents({ events }: Organization) {
  const eventsByType: Record<string, { number: number; fields: readonly string[] }> = {};
  for (let after = "0"; ; ) {
    const { content, next } = await events.list({ after, limit: 1_000 });
    if (content.length === 0) return eventsByType;
    for (const { type, data } of content) {
      eventsByType[type] = { number: (eventsByType[type]?.number ?? 0) + 1, fields: Object.keys(data) };
    }
    after = next;
  }
}

function toNewCustomer(customer: Customer, slugs: readonly string[]): NewCustomer {
  const { ordinal, email, name, phone, externalId } = customer;
  const tags = customer.tags.slice(ordinal % 10 < 7 ? -2 : -1).map((tag) => slugs[tag] ?? "");
  return { email, name, phone, externalId, metadata: {}, tags };
}
