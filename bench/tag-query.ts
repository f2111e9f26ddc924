import assert from "node:assert/strict";
import { join } from "node:path";
import type Database from "better-sqlite3";
import { LoyaltyService, type TagFilter } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import type { Bench } from "./bench.js";
import { ORGANIZATION, shares, type TagName, writeOurFile, writePeerFile } from "./customers.js";
import { inMs, print, type Row } from "./report.js";
import { timeInTurn } from "./timing.js";

const SIZE = 20;

/** A query, and the ways to count its users in SQL; the page is always best found by walking users in order. */
interface Query {
  readonly what: string;
  readonly filter: TagFilter;
  readonly counts: Readonly<Record<string, string>>;
  readonly where: string;
  /** For a rare tag the page is best found by walking the tag instead. */
  readonly from?: string;
  readonly goal: Goal;
}

/** How many times faster than SQL, at least; `null` for a size that nothing is promised for. */
type Goal = (users: number) => number | null;

const manifold: Goal = (users) => (users >= 1_000_000 ? 50 : users >= 200_000 ? 20 : null);

const queries: readonly Query[] = [
  {
    what: "nested, six leaves",
    filter: {
      operator: "AND",
      conditions: [{ slug: "most" }],
      filters: [
        { operator: "OR", conditions: [{ slug: "many" }, { slug: "some" }] },
        { operator: "NOT", conditions: [{ slug: "few" }] },
        { operator: "OR", conditions: [{ slug: "tenth" }, { slug: "twentieth" }] },
      ],
    },
    counts: {
      "EXISTS per user": `select count(*) as total from users u where (${has("many")} or ${has("some")})
        and not ${has("few")} and (${has("tenth")} or ${has("twentieth")}) and ${has("most")}`,
      "driven by the rarest": `select count(*) as total
        from (select user as ordinal from user_tags where tag = ${no("tenth")}
          union select user from user_tags where tag = ${no("twentieth")}) u
        where ${has("most")} and not ${has("few")} and (${has("many")} or ${has("some")})`,
      "GROUP BY user": `select count(*) as total from (select user from user_tags
        where tag in (${["many", "some", "few", "tenth", "twentieth", "most"].map((tag) => no(tag as TagName))})
        group by user having max(tag = ${no("most")}) and not max(tag = ${no("few")})
          and max(tag in (${no("many")}, ${no("some")})) and max(tag in (${no("tenth")}, ${no("twentieth")})))`,
    },
    where: `(${has("many")} or ${has("some")}) and not ${has("few")}
      and (${has("tenth")} or ${has("twentieth")}) and ${has("most")}`,
    goal: manifold,
  },
  {
    what: "NOT of a large tag",
    filter: { operator: "NOT", conditions: [{ slug: "half" }] },
    counts: {
      "NOT EXISTS per user": `select count(*) as total from users u where not ${has("half")}`,
      "all less the tag's": `select (select count(*) from users)
        - (select count(*) from user_tags where tag = ${no("half")}) as total`,
    },
    where: `not ${has("half")}`,
    goal: manifold,
  },
  {
    what: "AND of two large tags",
    filter: { operator: "AND", conditions: [{ slug: "half" }, { slug: "many" }] },
    counts: {
      join: `select count(*) as total from user_tags a join user_tags b on b.user = a.user and b.tag = ${no("half")}
        where a.tag = ${no("many")}`,
      INTERSECT: `select count(*) as total from (select user from user_tags where tag = ${no("half")}
        intersect select user from user_tags where tag = ${no("many")})`,
    },
    where: `${has("half")} and ${has("many")}`,
    goal: manifold,
  },
  {
    what: "a rare tag",
    filter: { operator: "AND", conditions: [{ slug: "rare" }] },
    counts: { "the tag's index": `select count(*) as total from user_tags where tag = ${no("rare")}` },
    from: `user_tags t join users u on u.ordinal = t.user`,
    where: `t.tag = ${no("rare")}`,
    goal: (users) => (users >= 200_000 ? 1 / 3 : null),
  },
];

/** A page of 20 users and the exact total of a tag filter, against the best SQL found for each. */
export const tagQuery: Bench = async ({ folder, users, rounds, sliceMs }) => {
  const file = join(folder, "ours.db");
  await writeOurFile(file, users);
  const peer = writePeerFile(join(folder, "peer.db"), users);
  const loyalty = new LoyaltyService({ storage: await sqliteStorage(file) });
  const { tags } = loyalty.organization(ORGANIZATION);
  const rows: Row[] = [];
  for (const { what, filter, counts, where, from = "users u", goal } of queries) {
    const page = peer.prepare(`select u.* from ${from} where ${where} order by u.ordinal limit ${SIZE}`);
    const ours = () => tags.query({ filter, size: SIZE });
    const answer = await ours();
    const plans = Object.entries(counts).map(([name, sql]) => [name, bySql(peer, sql, page)] as const);
    for (const [name, plan] of plans) {
      const { total, users: found } = plan();
      assert.equal(total, answer.totalElements, `${what}: ${name} counts the same`);
      assert.deepEqual(found, answer.content, `${what}: the same page`);
    }
    const timeOf = await timeInTurn({ ours, ...Object.fromEntries(plans) }, { rounds, sliceMs });
    const [peerName, peerTime] = fastest(plans.map(([name]) => [name, timeOf(name)]));
    const ratio = peerTime / timeOf("ours");
    const least = goal(users);
    const promised = least === null ? "none" : `≥ ${least < 1 ? least.toFixed(2) : least}`;
    rows.push({ what, ours: inMs(timeOf("ours")), peer: inMs(peerTime), peerName, ratio, goal: promised });
  }
  await loyalty.close();
  peer.close();
  print(
    `Tag query with total and first page of ${SIZE}, ${users.toLocaleString("en")} users (ratio: times faster)`,
    rows,
  );
};

interface PeerUser {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  readonly phone: string | null;
  readonly external_id: string | null;
  readonly metadata: string;
  readonly created_at: number;
  readonly updated_at: number;
}

function bySql(db: Database.Database, count: string, page: Database.Statement) {
  const counted = db.prepare<[], { total: number }>(count);
  return () => {
    const users = (page.all() as PeerUser[]).map((user) => ({
      id: user.id,
      object: "user",
      email: user.email,
      name: user.name,
      phone: user.phone,
      externalId: user.external_id,
      metadata: JSON.parse(user.metadata),
      createdAt: new Date(user.created_at).toISOString(),
      updatedAt: new Date(user.updated_at).toISOString(),
    }));
    return { total: counted.get()?.total, users };
  };
}

function fastest(
  times: readonly (readonly [name: string, ms: number])[],
): readonly [name: string, ms: number] {
  return times.reduce((best, other) => (other[1] < best[1] ? other : best));
}

function has(tag: TagName): string {
  return `exists (select 1 from user_tags t where t.tag = ${no(tag)} and t.user = u.ordinal)`;
}

function no(tag: TagName): number {
  return Object.keys(shares).indexOf(tag);
}
