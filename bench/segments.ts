import assert from "node:assert/strict";
import Database from "better-sqlite3";
import { LoyaltyService, type SegmentFilter } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { createBehaviorFile, createStatementsFile, NOW } from "./behavior-file.js";
import type { Bench } from "./bench.js";
import { ORGANIZATION, TEMPLATE, tagNumber } from "./customers.js";
import { atLeast, atMost, formatGoal, formatMs, formatWhole, print, printTable, type Row } from "./report.js";
import { measureStall } from "./stalled.js";
import { findFastest, timeInTurn } from "./timing.js";

const DAY_MS = 86_400_000;
const TODAY = Math.floor(NOW / DAY_MS) * DAY_MS;
const daysAgo = (days: number) => TODAY - days * DAY_MS;

const passes = `from loyalty_wallet_passes p where p.organization_id = '${ORGANIZATION}' and p.template_id = '${TEMPLATE}'`;
const visitedSql = `select pass_id from loyalty_stamp_entries where organization_id = '${ORGANIZATION}' and type = 'added'
  and created_at >= ${daysAgo(90)} group by pass_id having count(*) >= 3`;
const taggedSql = `(select 1 from loyalty_user_tag_assignments t where t.organization_id = '${ORGANIZATION}'
  and t.tag_ordinal = ${tagNumber("some") + 1} and t.user_ordinal = p.user_ordinal)`;
const ofCitySql = `(select 1 from loyalty_users u where u.organization_id = '${ORGANIZATION}' and u.ordinal = p.user_ordinal
  and json_extract(u.metadata, '$.city') = 'Vienna')`;

interface SegmentQuestion {
  readonly label: string;
  readonly filter: SegmentFilter;
  /** Ways to count the same in SQL, by their names. */
  readonly sql: Readonly<Record<string, string>>;
  readonly mostMs: number;
  readonly minRatio: number;
}

const templateId = TEMPLATE;
const buildFilter = (...conditions: SegmentFilter["conditions"] & object): SegmentFilter => ({
  operator: "AND",
  conditions,
});

const questions: readonly SegmentQuestion[] = [
  {
    label: "stamps ≥ 5",
    filter: buildFilter({ stamps: { templateId, min: 5 } }),
    sql: { index: `select count(*) as total ${passes} and current_stamps >= 5` },
    mostMs: 1.5,
    minRatio: 4,
  },
  {
    label: "last visit before 30 days",
    filter: buildFilter({ lastVisit: { templateId, beforeDays: 30 } }),
    sql: { index: `select count(*) as total ${passes} and last_stamp_at < ${daysAgo(30)}` },
    mostMs: 1.5,
    minRatio: 4,
  },
  {
    label: "visits in 90 days ≥ 3",
    filter: buildFilter({ visits: { templateId, days: 90, min: 3 } }),
    sql: { ledger: `select count(*) as total from (${visitedSql})` },
    mostMs: 1.5,
    minRatio: 300,
  },
  {
    label: "tag AND stamps AND last visit AND NOT city",
    filter: {
      ...buildFilter(
        { slug: "some" },
        { stamps: { templateId, min: 5 } },
        { lastVisit: { templateId, beforeDays: 30 } },
      ),
      filters: [{ operator: "NOT", conditions: [{ metadata: { path: ["city"], equals: "Vienna" } }] }],
    },
    sql: {
      exists: `select count(*) as total ${passes} and current_stamps >= 5 and last_stamp_at < ${daysAgo(30)}
        and exists ${taggedSql} and not exists ${ofCitySql}`,
      join: `select count(*) as total from loyalty_user_tag_assignments t join loyalty_wallet_passes p
        on p.organization_id = t.organization_id and p.user_ordinal = t.user_ordinal
        join loyalty_users u on u.organization_id = t.organization_id and u.ordinal = t.user_ordinal
        where t.organization_id = '${ORGANIZATION}' and t.tag_ordinal = ${tagNumber("some") + 1}
        and p.template_id = '${TEMPLATE}' and p.current_stamps >= 5 and p.last_stamp_at < ${daysAgo(30)}
        and json_extract(u.metadata, '$.city') <> 'Vienna'`,
    },
    mostMs: 5,
    minRatio: 20,
  },
  {
    label: "tag AND last visit AND (stamps OR visits)",
    filter: {
      ...buildFilter({ slug: "some" }, { lastVisit: { templateId, withinDays: 30 } }),
      filters: [
        {
          operator: "OR",
          conditions: [{ stamps: { templateId, min: 8 } }, { visits: { templateId, days: 90, min: 3 } }],
        },
      ],
    },
    sql: {
      exists: `select count(*) as total ${passes} and last_stamp_at >= ${daysAgo(30)} and exists ${taggedSql}
        and (current_stamps >= 8 or p.id in (${visitedSql}))`,
    },
    mostMs: 5,
    minRatio: 20,
  },
];

/** Exact totals of segments over behavior. */
export const runSegments: Bench = async (settings) => {
  const { sharedFolder, folder, users } = settings;
  const file = await createBehaviorFile(sharedFolder, users);
  const db = new Database(createStatementsFile(file, folder), { readonly: true });
  const rows: Row[] = [];
  const firsts: Record<string, Readonly<Record<string, string>>> = {};
  for (const { label, filter, sql, mostMs, minRatio } of questions) {
    const storage = await sqliteStorage(file);
    const loyalty = new LoyaltyService({ storage, clock: () => NOW });
    const organization = loyalty.organization(ORGANIZATION);
    const countOurs = async () => (await organization.segments.query({ filter, size: 0 })).totalElements;
    const { result: total, ms: cold, stallMs } = await measureStall(countOurs, settings);
    const peers = Object.fromEntries(
      Object.entries(sql).map(([name, text]) => {
        const count = db.prepare<[], { total: number }>(text);
        return [name, () => count.get()?.total];
      }),
    );
    for (const [name, peer] of Object.entries(peers))
      assert.equal(peer(), total, `${label}: ${name} counts the same`);
    const getTime = await timeInTurn({ ours: countOurs, ...peers }, settings);
    const peer = findFastest(Object.keys(peers), getTime);
    const ratio = getTime(peer) / getTime("ours");
    const isLarge = users >= 1_000_000;
    rows.push({
      label,
      ours: formatMs(getTime("ours")),
      peer: formatMs(getTime(peer)),
      peerName: peer,
      ratio,
      goals: isLarge ? [atLeast(ratio, minRatio), atMost(getTime("ours"), mostMs, " ms")] : [],
    });
    firsts[label] = {
      "first after a start": `${formatMs(cold)}${isLarge ? ` ${formatGoal(atMost(cold, 2_500, " ms"))}` : ""}`,
      "longest stall": `${formatMs(stallMs)} ${formatGoal(atMost(stallMs, 50, " ms"))}`,
    };
    await loyalty.close();
  }
  db.close();
  print(`Totals of segments over behavior, ${formatWhole(users)} users (ratio: times faster)`, rows);
  printTable(`The first total after a start, which reads the columns, ${formatWhole(users)} users`, firsts);
};
