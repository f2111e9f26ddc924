import assert from "node:assert/strict";
import Database from "better-sqlite3";
import { LoyaltyService, type SegmentCondition } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { NOW } from "./behavior-file.js";
import type { Bench, Settings } from "./bench.js";
import { cycleScattered, hasPass, ORGANIZATION, userId } from "./customers.js";
import { createLedgerFile, POINTS_TEMPLATE, pointPassId } from "./ledger-file.js";
import { copyFile } from "./our-file.js";
import { atMost, formatGoal, formatMs, formatWhole, print, printTable, type Row } from "./report.js";
import { measureStall } from "./stalled.js";
import { timeInTurn } from "./timing.js";

const DAY_MS = 86_400_000;
const TODAY = Math.floor(NOW / DAY_MS) * DAY_MS;
const MOST_MS = 1.5;
const since = TODAY - 90 * DAY_MS;
const until = TODAY + 31 * DAY_MS;
const templateId = POINTS_TEMPLATE;

const own = `organization_id = '${ORGANIZATION}'`;
const usableLots = `from loyalty_point_lots where ${own} and remaining > 0 and usable_from <= ${NOW}`;
const purchases = `from loyalty_purchases where ${own} and user_id is not null and at >= ${since} and remaining_amount is not null`;

interface LedgerQuestion {
  readonly condition: SegmentCondition;
  /** The same count in SQL. */
  readonly sql: string;
}

const questions: Readonly<Record<string, LedgerQuestion>> = {
  "points ≥ 100": {
    condition: { points: { templateId, min: 100 } },
    sql: `select count(*) as total from (select 1 ${usableLots} and expires_at > ${NOW}
      group by pass_id having sum(remaining) >= 100)`,
  },
  "points expire within 30 days": {
    condition: { pointsExpire: { templateId, withinDays: 30 } },
    sql: `select count(distinct pass_id) as total ${usableLots} and expires_at > ${NOW} and expires_at <= ${until}`,
  },
  "spent ≥ 50.00 in 90 days": {
    condition: { spent: { days: 90, currency: "EUR", min: 5_000 } },
    sql: `select count(*) as total from (select 1 ${purchases} and currency = 'EUR'
      group by user_id having sum(remaining_amount) >= 5000)`,
  },
  "purchases in 90 days ≥ 3": {
    condition: { purchases: { days: 90, min: 3 } },
    sql: `select count(*) as total from (select 1 ${purchases} group by user_id having count(*) >= 3)`,
  },
};

/** Exact totals of segments over points and purchases, at a time that goes on with each call, also after a change. */
export const runLedgerSegments: Bench = async (settings) => {
  const { sharedFolder, folder, users } = settings;
  const file = await createLedgerFile(sharedFolder, users);
  const db = new Database(createStatementsFile(file, folder), { readonly: true });
  const msAfterChanges = await measureAfterChanges(copyFile(file, folder, "changed"), settings);
  const rows: Row[] = [];
  const firsts: Record<string, Readonly<Record<string, string>>> = {};
  for (const [label, { condition, sql }] of Object.entries(questions)) {
    const loyalty = new LoyaltyService({ storage: await sqliteStorage(file), clock: createClock() });
    const countOurs = createCount(loyalty, condition);
    const { result: total, ms: cold, stallMs } = await measureStall(countOurs, settings);
    const count = db.prepare<[], { total: number }>(sql);
    const sides = { ours: countOurs, SQL: () => count.get()?.total };
    assert.equal(sides.SQL(), total, `${label}: SQL counts the same`);
    const getTime = await timeInTurn(sides, settings);
    const peer = getTime("SQL");
    for (const [name, ms] of [
      [label, getTime("ours")],
      [`${label}, after a change`, msAfterChanges.get(label) ?? Number.NaN],
    ] as const) {
      const goals = users >= 1_000_000 && name === label ? [atMost(ms, MOST_MS, " ms")] : [];
      rows.push({
        ...{ label: name, ours: formatMs(ms), peer: formatMs(peer), peerName: "SQL" },
        ...{ ratio: peer / ms, goals },
      });
    }
    firsts[label] = {
      "first after a start": formatMs(cold),
      "longest stall": `${formatMs(stallMs)} ${formatGoal(atMost(stallMs, 50, " ms"))}`,
    };
    await loyalty.close();
  }
  db.close();
  print(
    `Totals of segments over points and purchases, ${formatWhole(users)} users (ratio: times faster)`,
    rows,
  );
  printTable(`The first total of points and purchases after a start, ${formatWhole(users)} users`, firsts);
};

function createCount(loyalty: LoyaltyService, condition: SegmentCondition): () => Promise<number> {
  const { segments } = loyalty.organization(ORGANIZATION);
  const filter = { operator: "AND", conditions: [condition] } as const;
  return async () => (await segments.query({ filter, size: 0 })).totalElements;
}

/** Measures each total right after points or a purchase of some customer, in milliseconds. */
async function measureAfterChanges(
  file: string,
  { users, rounds, sliceMs }: Pick<Settings, "users" | "rounds" | "sliceMs">,
): Promise<ReadonlyMap<string, number>> {
  const loyalty = new LoyaltyService({ storage: await sqliteStorage(file), clock: createClock() });
  const { points, purchases } = loyalty.organization(ORGANIZATION);
  const holders = cycleScattered(Array.from({ length: users }, (_, ordinal) => ordinal).filter(hasPass));
  let receipt = 0;
  const change = async () => {
    const ordinal = holders.next().value;
    await points.add(pointPassId(ordinal), { points: 1 });
    const content = { userId: userId(ordinal), currency: "EUR", lines: [{ amount: 100 }] };
    await purchases.put("bench", String(receipt), content);
    receipt += 1;
  };
  const found = new Map<string, number>();
  for (const [label, { condition }] of Object.entries(questions)) {
    const work = createCount(loyalty, condition);
    const getTime = await timeInTurn({ ours: { ready: change, work } }, { rounds, sliceMs });
    found.set(label, getTime("ours"));
  }
  await loyalty.close();
  return found;
}

/** A clock that goes on by a millisecond with each look. */
function createClock(): () => number {
  let now = NOW;
  return () => {
    now += 1;
    return now;
  };
}

/** A copy of the file with the indexes that the statements need, and with table statistics. */
function createStatementsFile(file: string, folder: string): string {
  const copy = copyFile(file, folder, "statements");
  const db = new Database(copy);
  db.exec(`
    create index bench_lots on loyalty_point_lots (organization_id, expires_at, pass_id, usable_from, remaining);
    create index bench_purchases on loyalty_purchases (organization_id, at, user_id, currency, remaining_amount);
    analyze;`);
  db.close();
  return copy;
}
