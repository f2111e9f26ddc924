import assert from "node:assert/strict";
import Database from "better-sqlite3";
import { LoyaltyService, type TagFilter } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { Query } from "mingo";
import type { Bench } from "./bench.js";
import { Bitsets } from "./bitsets.js";
import { generateCustomers, listTagSlugs, ORGANIZATION } from "./customers.js";
import { createOurFile } from "./our-file.js";
import { createPlainFile, type PlainUser, toWireUser } from "./plain-file.js";
import { atLeast, atMost, formatMs, formatWhole, type Goal, print, type Row } from "./report.js";
import { type Filter, tagFilters } from "./tag-filters.js";
import { findFastest, timeInTurn } from "./timing.js";

const SIZE = 20;

/** Above it, objects with lists of tags are no way to go, and take too much memory. */
const MOST_OBJECTS = 200_000;

/** A page of 20 users and the exact total of a tag filter. */
export const runTagQuery: Bench = async ({ sharedFolder, users, rounds, sliceMs }) => {
  const loyalty = new LoyaltyService({
    storage: await sqliteStorage(await createOurFile(sharedFolder, users)),
  });
  const { tags } = loyalty.organization(ORGANIZATION);
  const db = new Database(createPlainFile(sharedFolder, users), { readonly: true });
  const bitsets = new Bitsets(users, generateCustomers(users));
  const objects = users <= MOST_OBJECTS ? createTaggedObjects(users) : null;
  const rows: Row[] = [];
  for (const { label, filter, ...query } of tagFilters) {
    const queryOurs = () => tags.query({ filter, size: SIZE });
    const { totalElements: total, content } = await queryOurs();
    const sqlPlans = createPlans(db, query);
    const otherPlans = {
      bitset: planByBitsets(db, bitsets, filter),
      ...(objects && { mingo: planByMingo(db, objects, filter) }),
    };
    for (const [name, plan] of Object.entries({ ...sqlPlans, ...otherPlans })) {
      assert.deepEqual(plan(), { total, users: content }, `${label}: ${name} finds the same`);
    }
    // Timed without the rows, to show the cost of everything but the sets.
    const queryBitset = () => bitsets.query(filter, SIZE);
    const getTime = await timeInTurn(
      { ours: queryOurs, ...sqlPlans, ...otherPlans, bitset: queryBitset },
      { rounds, sliceMs },
    );
    const compareWith = (kind: string, peer: string, goals: (ratio: number) => readonly Goal[]) => {
      const ratio = getTime(peer) / getTime("ours");
      const times = { ours: formatMs(getTime("ours")), peer: formatMs(getTime(peer)) };
      rows.push({ label: `${label} / ${kind}`, ...times, peerName: peer, ratio, goals: goals(ratio) });
    };
    compareWith("SQL", findFastest(Object.keys(sqlPlans), getTime), (ratio) => [
      ...minimumRatios(users, query.minRatios).map((min) => atLeast(ratio, min)),
      atMost(getTime("ours"), 2, " ms"),
    ]);
    for (const name of Object.keys(otherPlans)) compareWith(name, name, () => []);
  }
  await loyalty.close();
  db.close();
  print(
    `Tag query with total and first page of ${SIZE}, ${formatWhole(users)} users (ratio: times faster)`,
    rows,
  );
};

type Plan = () => { readonly total: number | undefined; readonly users: ReturnType<typeof toWireUser>[] };

/** The ways to answer a filter in SQL, by name. */
export function createPlans(
  db: Database.Database,
  { counts, where, from = "users u" }: Pick<Filter, "counts" | "where" | "from">,
): Record<string, Plan> {
  const page = db.prepare<[], PlainUser>(
    `select u.* from ${from} where ${where} order by u.ordinal limit ${SIZE}`,
  );
  return Object.fromEntries(
    Object.entries(counts).map(([name, sql]) => {
      const count = db.prepare<[], { total: number }>(sql);
      return [name, () => ({ total: count.get()?.total, users: page.all().map(toWireUser) })];
    }),
  );
}

function planByBitsets(db: Database.Database, bitsets: Bitsets, filter: TagFilter): Plan {
  const readRow = createReader(db);
  return () => {
    const { total, ordinals } = bitsets.query(filter, SIZE);
    return { total, users: ordinals.flatMap(readRow) };
  };
}

interface TaggedObject {
  readonly ordinal: number;
  readonly tags: readonly (string | undefined)[];
}

function createTaggedObjects(users: number): TaggedObject[] {
  const slugs = listTagSlugs(users);
  return Array.from(generateCustomers(users), ({ ordinal, tags }) => ({
    ordinal,
    tags: tags.map((tag) => slugs[tag]),
  }));
}

function planByMingo(db: Database.Database, objects: readonly TaggedObject[], filter: TagFilter): Plan {
  const readRow = createReader(db);
  const query = new Query<TaggedObject>(toCriteria(filter));
  return () => {
    let total = 0;
    const ordinals: number[] = [];
    for (const object of objects) {
      if (!query.test(object)) continue;
      total += 1;
      if (ordinals.length < SIZE) ordinals.push(object.ordinal);
    }
    return { total, users: ordinals.flatMap(readRow) };
  };
}

function toCriteria({ operator, conditions = [], filters = [] }: TagFilter): Record<string, unknown> {
  const operands = [...conditions.map(({ slug }) => ({ tags: slug })), ...filters.map(toCriteria)];
  return { [{ AND: "$and", OR: "$or", NOT: "$nor" }[operator]]: operands };
}

function createReader(db: Database.Database) {
  const selectByOrdinal = db.prepare<[number], PlainUser>("select * from users where ordinal = ?");
  return (ordinal: number) => {
    const user = selectByOrdinal.get(ordinal);
    return user === undefined ? [] : [toWireUser(user)];
  };
}

/** Nothing is promised for fewer users. */
function minimumRatios(users: number, [few, many]: readonly [number, number]): number[] {
  if (users >= 1_000_000) return [many];
  return users >= 200_000 ? [few] : [];
}
