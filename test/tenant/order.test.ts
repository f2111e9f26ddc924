import type { Organization } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { openAcme, someEmail } from "../kit/acme.js";
import { collect } from "../kit/collect.js";
import { everyAdapter } from "../kit/every-adapter.js";
import type { ManualClock } from "../kit/manual-clock.js";

/** How the clock moves before each creation: forward, not at all, and back. */
const moves = [0, 1, 0, 0, -5_000, 0, 2, -1, 10_000, 0, -10_000, 3];

/** Creates one item after each move of the clock. */
async function createMany<T>(clock: ManualClock, create: (at: number) => Promise<T>): Promise<T[]> {
  const created: T[] = [];
  for (const [at, ms] of moves.entries()) {
    clock.move(ms);
    created.push(await create(at));
  }
  return created;
}

/** Sorts by createdAt, then by id, in code point order. */
function sortOldestFirst<T extends { readonly createdAt: string; readonly id: string }>(
  items: readonly T[],
): T[] {
  return items.toSorted((a, b) => compare(a.createdAt, b.createdAt) || compare(a.id, b.id));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const listIds = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id);
const createUser = (acme: Organization) => acme.users.create({ email: someEmail() });

describe.each(everyAdapter)("oldest first on $name, whatever the clock does", ({ open }) => {
  it("holds for users in every list, and later users never have earlier times", async () => {
    const { acme, clock } = openAcme({ storage: await open() });
    await acme.tags.create({ name: "VIP" });
    const users = await createMany(clock, () => createUser(acme));
    expect(sortOldestFirst(users)).toEqual(users);
    for (const { id } of users.toReversed()) await acme.tags.assign(id, "vip");

    expect(await collect(acme.users.list())).toEqual(users);
    expect(await collect(acme.tags.users("vip"))).toEqual(users);
    const filter = { operator: "AND", conditions: [{ slug: "vip" }] } as const;
    expect((await acme.tags.query({ filter })).content).toEqual(users);
    expect(listIds((await acme.contacts.list({ sort: "createdAt,asc" })).content)).toEqual(listIds(users));
    expect(listIds((await acme.contacts.list()).content)).toEqual(listIds(users.toReversed()));
  });

  it("holds for users after the newest one is deleted", async () => {
    const { acme, clock } = openAcme({ storage: await open() });
    const newest = (await createMany(clock, () => createUser(acme))).at(-1);
    await acme.users.delete(newest?.id ?? "");
    clock.move(-60_000);
    await createUser(acme);
    const users = await collect(acme.users.list());
    expect(sortOldestFirst(users)).toEqual(users);
    expect(listIds((await acme.contacts.list({ sort: "createdAt,asc" })).content)).toEqual(listIds(users));
  });

  it("holds for tags, templates and API tokens", async () => {
    const { acme, clock } = openAcme({ storage: await open() });
    const tags = await createMany(clock, (at) => acme.tags.create({ name: `Tag ${at}` }));
    expect(await acme.tags.list()).toEqual(sortOldestFirst(tags));
    const templates = await createMany(clock, (at) =>
      acme.templates.create({ name: `Card ${at}`, type: "LOYALTY_CARD" }),
    );
    expect(await acme.templates.list()).toEqual(sortOldestFirst(templates));
    const tokens = await createMany(clock, () =>
      acme.apiTokens.create({ name: "Till", scopes: ["user:read"] }),
    );
    expect(await acme.apiTokens.list()).toEqual(sortOldestFirst(tokens.map(({ apiToken }) => apiToken)));
  });

  it("holds for a user's tags, by the time of assignment", async () => {
    const { acme, clock } = openAcme({ storage: await open() });
    const { id } = await createUser(acme);
    for (const at of moves.keys()) await acme.tags.create({ name: `Tag ${at}` });
    const assignments = await createMany(clock, (at) => acme.tags.assign(id, `tag-${moves.length - 1 - at}`));
    const expected = sortOldestFirst(assignments).map(({ userTag }) => userTag);
    expect(await acme.tags.ofUser(id)).toEqual(expected);
  });

  it("holds for a user's passes, in contacts too", async () => {
    const { acme, clock } = openAcme({ storage: await open() });
    const { id } = await createUser(acme);
    const card = await acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps: 3 });
    const passes = sortOldestFirst(
      await createMany(clock, () => acme.passes.create(card.id, { userId: id })),
    );
    expect(listIds(await acme.passes.ofUser(id))).toEqual(listIds(passes));
    const contact = (await acme.contacts.list({ includeStamps: true })).content.at(0);
    expect(contact?.passInfos.map(({ passId }) => passId)).toEqual(listIds(passes));
    expect(contact?.stampProgress?.map(({ passId }) => passId)).toEqual(listIds(passes));
  });

  it("is reversed in a stamp history: the newest entry comes first, by its position", async () => {
    const { acme, clock } = openAcme({ storage: await open() });
    const card = await acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps: 100 });
    const pass = await acme.passes.create(card.id, { user: { email: someEmail() } });
    await createMany(clock, () => acme.stamps.add(pass.id));
    const { content } = await acme.stamps.history(pass.id);
    expect(content.map(({ stampsAfter }) => stampsAfter)).toEqual(moves.map((_, at) => moves.length - at));
  });
});
