import type { User, WalletPassDetail } from "loyalty-kit";
import type { Scene } from "../events/scene.js";
import { collect } from "../kit/collect.js";
import type { Subject } from "../model/subject.js";

/** Ranges around the day on which test clocks begin. */
const statisticsDays = [
  ["2025-12-30", "2026-01-03"],
  ["2026-01-01", "2026-01-01"],
] as const;

/** Reads everything visible of an organization, with every kind of read. */
export async function readVisibleState({
  users,
  contacts,
  tags,
  templates,
  passes,
  stamps,
  statistics,
  apiTokens,
}: Subject) {
  const allUsers = await collect(users.list());
  const tagList = await tags.list();
  const passList = (await readEach(allUsers, ({ id }) => passes.ofUser(id))).flat();
  return {
    users: allUsers,
    byKeys: await readEach(allUsers.flatMap(keysOf), (key) => users.get(key)),
    contacts: await contacts.list({ includeStamps: true, size: 200 }),
    found: await readEach(allUsers.flatMap(textsOf), (search) =>
      contacts.list({ search, sort: "email,asc" }),
    ),
    tags: tagList,
    holders: await readEach(tagList, ({ slug }) => collect(tags.users(slug))),
    tagsOfUsers: await readEach(allUsers, ({ id }) => tags.ofUser(id)),
    segments: await readEach(tagList, ({ slug }) =>
      tags.query({ filter: { operator: "NOT", conditions: [{ slug }] } }),
    ),
    wrongSegments: (await tags.verifyIndex()).wrong,
    templates: await templates.list(),
    owners: await readEach(await templates.list(), ({ id }) => contacts.list({ templateId: id })),
    passes: passList,
    scanned: await readEach(passList, ({ qrCodeValue }) => passes.lookup(qrCodeValue)),
    cards: await readEach(passList.filter(isStampCard), ({ id }) => stamps.state(id)),
    ledgers: await readEach(passList.filter(isStampCard), ({ id }) => stamps.history(id)),
    statistics: await readEach(statisticsDays, ([fromTime, to]) => statistics.get({ from: fromTime, to })),
    apiTokens: await apiTokens.list(),
  };
}

/** Reads everything visible of the purchases and points of a scene. */
export async function readPurchaseState({ acme: { purchases, points }, pointPass: { id } }: Scene) {
  return {
    purchases: await purchases.list({ size: 200 }),
    pointCard: await points.state(id),
    pointEntries: await points.history(id, { size: 200 }),
  };
}

async function readEach<T, R>(items: readonly T[], readItem: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await readItem(item));
  return results;
}

function keysOf({ id, externalId }: User): string[] {
  return externalId === null ? [id] : [id, externalId];
}

function textsOf({ email, name }: User): string[] {
  return [email, name].filter((text) => text !== null);
}

function isStampCard({ stampProgress }: WalletPassDetail): boolean {
  return stampProgress !== null;
}
