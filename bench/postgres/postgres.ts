import assert from "node:assert/strict";
import { LoyaltyService, type Organization } from "loyalty-kit";
import { postgresStorage } from "loyalty-kit/postgres";
import type pg from "pg";
import { startDurableServer } from "../../test/postgres/server.js";
import type { Bench } from "../bench.js";
import { Bitsets } from "../bitsets.js";
import { cycleScattered, generateCustomers, listPassIds, ORGANIZATION } from "../customers.js";
import { generateUnknownCustomers, toInput } from "../new-customers.js";
import { atLeast, formatMs, formatRate, formatWhole, print, type Row } from "../report.js";
import { tagFilters } from "../tag-filters.js";
import { findFastest, timeInTurn, type Work } from "../timing.js";
import { fillDatabase } from "./filled.js";
import { HandWritten } from "./hand-written.js";
import { openPool } from "./open-pool.js";
import { recordQueries, replay } from "./replayed.js";
import { createPlans } from "./tag-queries.js";

const CONNECTIONS = [1, 4, 16];

/** All customers that are ever created: no two benchmarks may create the same. */
const newcomers = generateUnknownCustomers();

/** Calls on Postgres by 1, 4 and 16 concurrent callers, against the same SQL by hand; a tag query against other SQL. */
export const runPostgres: Bench = async ({ users, rounds, sliceMs }) => {
  const server = await startDurableServer();
  try {
    await fillDatabase(server.url, users);
    await runTagQuery(server.url, users, { rounds, sliceMs });
    const rows: Row[] = [];
    for (const connections of CONNECTIONS)
      rows.push(...(await timeCalls(server.url, connections, users, { rounds, sliceMs })));
    print(`Postgres, ${formatWhole(users)} users (ratio: share of the rate by hand)`, rows);
  } finally {
    await server.stop();
  }
};

type Pace = Parameters<typeof timeInTurn>[1];

async function runTagQuery(url: string, users: number, pace: Pace): Promise<void> {
  const pool = openPool(url);
  const loyalty = new LoyaltyService({ storage: await postgresStorage(pool) });
  const { tags } = loyalty.organization(ORGANIZATION);
  const filter = tagFilters[0]?.filter;
  assert(filter);
  const queryOurs = () => tags.query({ filter, size: 20 });
  const found = await queryOurs();
  const sides = createPlans(pool);
  for (const [name, plan] of Object.entries(sides)) {
    const { total, page } = await plan();
    assert.deepEqual(
      { total, page },
      { total: found.totalElements, page: found.content.map(({ email }) => email) },
      name,
    );
  }
  const getTime = await timeInTurn({ ours: queryOurs, ...sides }, pace);
  print(
    `Tag query with total on Postgres, ${formatWhole(users)} users (ratio: times faster)`,
    Object.keys(sides).map((name) => {
      const ratio = getTime(name) / getTime("ours");
      const goals = name === findFastest(Object.keys(sides), getTime) ? [atLeast(ratio, 20)] : [];
      return {
        label: `nested, six leaves / ${name}`,
        ours: formatMs(getTime("ours")),
        peer: formatMs(getTime(name)),
        peerName: name,
        ratio,
        goals,
      };
    }),
  );
  await loyalty.close();
  await pool.end();
}

/** Times this many concurrent callers, each with a connection. */
async function timeCalls(url: string, connections: number, users: number, pace: Pace): Promise<Row[]> {
  const pool = openPool(url, { max: connections });
  const loyalty = new LoyaltyService({ storage: await postgresStorage(pool) });
  const sides = await createSides(url, loyalty.organization(ORGANIZATION), pool, users);
  const rows: Row[] = [];
  for (const [label, { ours, peer }] of Object.entries(sides)) {
    const getTime = await timeInTurn(
      { ours: runConcurrently(connections, ours), peer: runConcurrently(connections, peer) },
      pace,
    );
    const ratio = getTime("peer") / getTime("ours");
    rows.push({
      label: `${label}, ${connections} at once`,
      ours: formatRate(connections, getTime("ours")),
      peer: formatRate(connections, getTime("peer")),
      peerName: "the same SQL by hand",
      ratio,
      goals: [atLeast(ratio, 0.6)],
    });
  }
  await loyalty.close();
  await pool.end();
  return rows;
}

interface Sides {
  readonly ours: Work;
  readonly peer: Work;
}

async function createSides(
  url: string,
  organization: Organization,
  pool: pg.Pool,
  users: number,
): Promise<Readonly<Record<string, Sides>>> {
  const byHand = new HandWritten(pool);
  const passes = cycleScattered(listPassIds(users));
  const family = findFamilyName(users);
  const filter = tagFilters[0]?.filter;
  assert(filter);
  const reads = {
    "tags.query": ({ tags }: Organization) => tags.query({ filter, size: 20 }),
    "contacts.list, a family name": ({ contacts }: Organization) => contacts.list({ search: family }),
  };
  const sides: Record<string, Sides> = {
    "users.create": {
      ours: () => organization.users.create(toInput(newcomers.next().value)),
      peer: () => byHand.createUser(newcomers.next().value),
    },
    "stamps.add": {
      ours: () => organization.stamps.add(passes.next().value),
      peer: () => byHand.addStamp(passes.next().value),
    },
  };
  // By hand the sets would be bits in memory too.
  const bitsets = new Bitsets(users, generateCustomers(users));
  for (const [label, read] of Object.entries(reads)) {
    const queries = await recordQueries(url, async (recordingPool, begin) => {
      const loyalty = new LoyaltyService({ storage: await postgresStorage(recordingPool) });
      // The second time the sets are in memory, as they are in all timed calls.
      await read(loyalty.organization(ORGANIZATION));
      begin();
      await read(loyalty.organization(ORGANIZATION));
      await loyalty.close();
    });
    const alsoQuery = label === "tags.query" ? () => bitsets.query(filter, 20) : () => {};
    sides[label] = { ours: () => read(organization), peer: () => replay(pool, queries).then(alsoQuery) };
  }
  return sides;
}

function findFamilyName(users: number): string {
  for (const { ordinal, name } of generateCustomers(users))
    if (ordinal === 999) return name.split(" ")[1] ?? name;
  throw new Error("too few users");
}

function runConcurrently(callers: number, work: Work): Work {
  return () => Promise.all(Array.from({ length: callers }, work));
}
