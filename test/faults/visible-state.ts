import type { User, WalletPassDetail } from "loyalty-kit";
import { collected } from "../kit/collected.js";
import type { Subject } from "../model/subject.js";

/** Around the day on which clocks of tests begin. */
const statisticsDays = [
  ["2025-12-30", "2026-01-03"],
  ["2026-01-01", "2026-01-01"],
] as const;

/** All that can be seen of an organization, by every way there is to it. */
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
  const everybody = await collected(users.list());
  const allTags = await tags.list();
  const allPasses = (await readEach(everybody, ({ id }) => passes.ofUser(id))).flat();
  return {
    users: everybody,
    byKeys: await readEach(everybody.flatMap(keysOf), (key) => users.get(key)),
    contacts: await contacts.list({ includeStamps: true, size: 200 }),
    found: await readEach(everybody.flatMap(textsOf), (search) =>
      contacts.list({ search, sort: "email,asc" }),
    ),
    tags: allTags,
    holders: await readEach(allTags, ({ slug }) => collected(tags.users(slug))),
    tagsOfUsers: await readEach(everybody, ({ id }) => tags.ofUser(id)),
    segments: await readEach(allTags, ({ slug }) =>
      tags.query({ filter: { operator: "NOT", conditions: [{ slug }] } }),
    ),
    wrongSegments: (await tags.verifyIndex()).wrong,
    templates: await templates.list(),
    owners: await readEach(await templates.list(), ({ id }) => contacts.list({ templateId: id })),
    passes: allPasses,
    scanned: await readEach(allPasses, ({ qrCodeValue }) => passes.lookup(qrCodeValue)),
    cards: await readEach(allPasses.filter(isStampCard), ({ id }) => stamps.state(id)),
    ledgers: await readEach(allPasses.filter(isStampCard), ({ id }) => stamps.history(id)),
    statistics: await readEach(statisticsDays, ([from, to]) => statistics.get({ from, to })),
    apiTokens: await apiTokens.list(),
  };
}

async function readEach<T, R>(items: readonly T[], read: (item: T) => Promise<R>): Promise<R[]> {
  const answers: R[] = [];
  for (const item of items) answers.push(await read(item));
  return answers;
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
