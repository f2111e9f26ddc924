import type { User, WalletPassDetail } from "loyalty-kit";
import { collect } from "../kit/collected.js";
import type { Subject } from "../model/subject.js";

/** Around the day on which clocks of tests begin. */
const statisticsDays = [
  ["2025-12-30", "2026-01-03"],
  ["2026-01-01", "2026-01-01"],
] as const;

/** All that can be seen of an organization, by every way there is to it. */
export async function visibleState({
  users,
  contacts,
  tags,
  templates,
  passes,
  stamps,
  statistics,
  apiTokens,
}: Subject) {
  const everybody = await collect(users.list());
  const allTags = await tags.list();
  const allPasses = (await each(everybody, ({ id }) => passes.ofUser(id))).flat();
  return {
    users: everybody,
    byKeys: await each(everybody.flatMap(keysOf), (key) => users.get(key)),
    contacts: await contacts.list({ includeStamps: true, size: 200 }),
    found: await each(everybody.flatMap(textsOf), (search) => contacts.list({ search, sort: "email,asc" })),
    tags: allTags,
    holders: await each(allTags, ({ slug }) => collect(tags.users(slug))),
    tagsOfUsers: await each(everybody, ({ id }) => tags.ofUser(id)),
    segments: await each(allTags, ({ slug }) =>
      tags.query({ filter: { operator: "NOT", conditions: [{ slug }] } }),
    ),
    wrongSegments: (await tags.verifyIndex()).wrong,
    templates: await templates.list(),
    owners: await each(await templates.list(), ({ id }) => contacts.list({ templateId: id })),
    passes: allPasses,
    scanned: await each(allPasses, ({ qrCodeValue }) => passes.lookup(qrCodeValue)),
    cards: await each(allPasses.filter(isStampCard), ({ id }) => stamps.state(id)),
    ledgers: await each(allPasses.filter(isStampCard), ({ id }) => stamps.history(id)),
    statistics: await each(statisticsDays, ([from, to]) => statistics.get({ from, to })),
    apiTokens: await apiTokens.list(),
  };
}

async function each<T, R>(items: readonly T[], read: (item: T) => Promise<R>): Promise<R[]> {
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
