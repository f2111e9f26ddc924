import assert from "node:assert/strict";
import { LoyaltyService, type SegmentFilter } from "loyalty-kit";
import { postgresStorage } from "loyalty-kit/postgres";
import type pg from "pg";
import { startDurableServer } from "../../test/postgres/server.js";
import { NOW } from "../behavior-file.js";
import type { Bench } from "../bench.js";
import { cycleScattered, hasPass, ORGANIZATION, passId, TEMPLATE, tagNumber } from "../customers.js";
import { atMost, formatMs, formatWhole, print, printTable, type Row } from "../report.js";
import { timeInTurn } from "../timing.js";
import { fillDatabase, tagIdOf } from "./filled.js";
import { openPool } from "./open-pool.js";

const DAY_MS = 86_400_000;
const MOST_MS = 20;
const today = Math.floor(NOW / DAY_MS) * DAY_MS;
const before = today - 30 * DAY_MS;
const templateId = TEMPLATE;

const passes = `select count(*)::int as total from loyalty_wallet_passes p
  where p.organization_id = '${ORGANIZATION}' and p.template_id = '${TEMPLATE}'`;
const hasTagCondition = `exists (select from loyalty_user_tag_assignments t where t.organization_id = p.organization_id
  and t.tag_ordinal = ${tagIdOf(tagNumber("some"))} and t.user_ordinal = p.user_ordinal)`;

const stamps = { stamps: { templateId, min: 5 } };
const lastVisit = { lastVisit: { templateId, beforeDays: 30 } };
const questions: Readonly<Record<string, { readonly filter: SegmentFilter; readonly sql: string }>> = {
  "stamps ≥ 5": {
    filter: { operator: "AND", conditions: [stamps] },
    sql: `${passes} and current_stamps >= 5`,
  },
  "last visit before 30 days": {
    filter: { operator: "AND", conditions: [lastVisit] },
    sql: `${passes} and last_stamp_at < ${before}`,
  },
  "tag AND stamps AND last visit": {
    filter: { operator: "AND", conditions: [{ slug: "some" }, stamps, lastVisit] },
    sql: `${passes} and current_stamps >= 5 and last_stamp_at < ${before} and ${hasTagCondition}`,
  },
};

/** Exact totals of segments over behavior on Postgres, also when another process has added a stamp before each. */
export const runPostgresSegments: Bench = async ({ users, rounds, sliceMs }) => {
  const server = await startDurableServer();
  try {
    await fillDatabase(server.url, users);
    const pool = openPool(server.url);
    await addVisits(pool);
    const openService = async () =>
      new LoyaltyService({ storage: await postgresStorage(server.url), clock: () => NOW });
    const [service, otherService] = [await openService(), await openService()];
    const ordinals = Array.from({ length: users }, (_, ordinal) => ordinal).filter(hasPass);
    const stampedPasses = cycleScattered(ordinals.map(passId));
    const rows: Row[] = [];
    const firsts: Record<string, Readonly<Record<string, string>>> = {};
    for (const [label, { filter, sql }] of Object.entries(questions)) {
      const { segments } = service.organization(ORGANIZATION);
      const countOurs = async () => (await segments.query({ filter, size: 0 })).totalElements;
      const countPeer = async (): Promise<number> => (await pool.query(sql)).rows[0].total;
      const addStampElsewhere = () =>
        otherService.organization(ORGANIZATION).stamps.add(stampedPasses.next().value);
      const began = performance.now();
      await countOurs();
      firsts[label] = { "first after a start": formatMs(performance.now() - began) };
      const getTime = await timeInTurn(
        { ours: countOurs, peer: countPeer, stamped: { ready: addStampElsewhere, work: countOurs } },
        { rounds, sliceMs },
      );
      await addStampElsewhere();
      assert.equal(
        await countOurs(),
        await countPeer(),
        `${label}: SQL counts the same right after a stamp elsewhere`,
      );
      for (const [name, side] of [
        [label, "ours"],
        [`${label}, after a stamp of another process`, "stamped"],
      ] as const) {
        const ratio = getTime("peer") / getTime(side);
        const goals = [atMost(getTime(side), MOST_MS, " ms")];
        rows.push({
          label: name,
          ours: formatMs(getTime(side)),
          peer: formatMs(getTime("peer")),
          peerName: "SQL",
          ratio,
          goals,
        });
      }
    }
    await service.close();
    await otherService.close();
    await pool.end();
    print(
      `Totals of segments over behavior on Postgres, ${formatWhole(users)} users (ratio: times faster)`,
      rows,
    );
    printTable(`The first total on Postgres, which reads the columns, ${formatWhole(users)} users`, firsts);
  } finally {
    await server.stop();
  }
};

/** Gives the cards up to eleven visits of the last years, and the indexes that the best statements need. */
async function addVisits(pool: pg.Pool): Promise<void> {
  const newest = `(${NOW} - (user_ordinal * 7919 % 365) * ${DAY_MS})`;
  await pool.query(
    `update loyalty_wallet_passes set current_stamps = user_ordinal % 10, entries = user_ordinal % 12,
       last_stamp_at = case when user_ordinal % 12 = 0 then null else ${newest} end,
       visits = (select coalesce(json_agg(${newest} - nth * (user_ordinal % 40 + 1) * ${DAY_MS} order by nth), '[]')::text
         from generate_series(0, user_ordinal % 12 - 1) nth)`,
  );
  await pool.query("create index on loyalty_wallet_passes (organization_id, template_id, last_stamp_at)");
  await pool.query("create index on loyalty_wallet_passes (organization_id, template_id, current_stamps)");
  await pool.query("vacuum analyze loyalty_wallet_passes");
}
