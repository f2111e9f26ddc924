import assert from "node:assert/strict";
import Database from "better-sqlite3";
import { LoyaltyService, type TagFilter } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { Query } from "mingo";
import type { Bench } from "./bench.js";
import { Bitsets } from "./bitsets.js";
import { customers, ORGANIZATION, tagsOf } from "./customers.js";
import { ourFile } from "./our-file.js";
import { type PlainUser, plainFile, userOf } from "./plain-file.js";
import { atLeast, atMost, type Goal, inMs, print, type Row, whole } from "./report.js";
import { type Filter, tagFilters } from "./tag-filters.js";
import { fastest, timeInTurn } from "./timing.js";

const SIZE = 20;

/** Above it, objects with lists of tags are no way to go, and take too much memory. */
const MOST_OBJECTS = 200_000;

/** A page of 20 users and the exact total of a tag filter. */
export const tagQuery: Bench = async ({ shared, users, rounds, sliceMs }) => {
  const loyalty = new LoyaltyService({ storage: await sqliteStorage(await ourFile(shared, users)) });
  const { tags } = loyalty.organization(ORGANIZATION);
  const db = new Database(plainFile(shared, users), { readonly: true });
  const bitsets = new Bitsets(users, customers(users));
  const objects = users <= MOST_OBJECTS ? taggedObjects(users) : null;
  const rows: Row[] = [];
  for (const { what, filter, ...query } of tagFilters) {
    const ours = () => tags.query({ filter, size: SIZE });
    const { totalElements: total, content } = await ours();
    const inSql = plansOf(db, query);
    const others = {
      bitset: byBitsets(db, bitsets, filter),
      ...(objects && { mingo: byMingo(db, objects, filter) }),
    };
    for (const [name, plan] of Object.entries({ ...inSql, ...others })) {
      assert.deepEqual(plan(), { total, users: content }, `${what}: ${name} finds the same`);
    }
    // Timed without the rows, to show what everything but the sets takes.
    const bitset = () => bitsets.query(filter, SIZE);
    const timeOf = await timeInTurn({ ours, ...inSql, ...others, bitset }, { rounds, sliceMs });
    const against = (kind: string, peer: string, goals: (ratio: number) => readonly Goal[]) => {
      const ratio = timeOf(peer) / timeOf("ours");
      const times = { ours: inMs(timeOf("ours")), peer: inMs(timeOf(peer)) };
      rows.push({ what: `${what} / ${kind}`, ...times, peerName: peer, ratio, goals: goals(ratio) });
    };
    against("SQL", fastest(Object.keys(inSql), timeOf), (ratio) => [
      ...leastAt(users, query.least).map((least) => atLeast(ratio, least)),
      atMost(timeOf("ours"), 2, " ms"),
    ]);
    for (const name of Object.keys(others)) against(name, name, () => []);
  }
  await loyalty.close();
  db.close();
  print(`Tag query with total and first page of ${SIZE}, ${whole(users)} users (ratio: times faster)`, rows);
};

type Plan = () => { readonly total: number | undefined; readonly users: ReturnType<typeof userOf>[] };

/** The ways to answer a filter in SQL, by their names. */
export function plansOf(
  db: Database.Database,
  { counts, where, from = "users u" }: Pick<Filter, "counts" | "where" | "from">,
): Record<string, Plan> {
  const page = db.prepare<[], PlainUser>(
    `select u.* from ${from} where ${where} order by u.ordinal limit ${SIZE}`,
  );
  return Object.fromEntries(
    Object.entries(counts).map(([name, sql]) => {
      const count = db.prepare<[], { total: number }>(sql);
      return [name, () => ({ total: count.get()?.total, users: page.all().map(userOf) })];
    }),
  );
}

function byBitsets(db: Database.Database, bitsets: Bitsets, filter: TagFilter): Plan {
  const rowOf = reader(db);
  return () => {
    const { total, ordinals } = bitsets.query(filter, SIZE);
    return { total, users: ordinals.flatMap(rowOf) };
  };
}

interface Tagged {
  readonly ordinal: number;
  readonly tags: readonly (string | undefined)[];
}

function taggedObjects(users: number): Tagged[] {
  const slugs = tagsOf(users);
  return Array.from(customers(users), ({ ordinal, tags }) => ({
    ordinal,
    tags: tags.map((tag) => slugs[tag]),
  }));
}

function byMingo(db: Database.Database, objects: readonly Tagged[], filter: TagFilter): Plan {
  const rowOf = reader(db);
  const query = new Query<Tagged>(criteriaOf(filter));
  return () => {
    let total = 0;
    const ordinals: number[] = [];
    for (const object of objects) {
      if (!query.test(object)) continue;
      total += 1;
      if (ordinals.length < SIZE) ordinals.push(object.ordinal);
    }
    return { total, users: ordinals.flatMap(rowOf) };
  };
}

function criteriaOf({ operator, conditions = [], filters = [] }: TagFilter): Record<string, unknown> {
  const operands = [...conditions.map(({ slug }) => ({ tags: slug })), ...filters.map(criteriaOf)];
  return { [{ AND: "$and", OR: "$or", NOT: "$nor" }[operator]]: operands };
}

function reader(db: Database.Database) {
  const byOrdinal = db.prepare<[number], PlainUser>("select * from users where ordinal = ?");
  return (ordinal: number) => {
    const user = byOrdinal.get(ordinal);
    return user === undefined ? [] : [userOf(user)];
  };
}

/** Nothing is promised for fewer users. */
function leastAt(users: number, [few, many]: readonly [number, number]): number[] {
  if (users >= 1_000_000) return [many];
  return users >= 200_000 ? [few] : [];
}
