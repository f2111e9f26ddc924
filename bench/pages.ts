import { readFileSync } from "node:fs";
import Database from "better-sqlite3";
import { LoyaltyService, type Organization } from "loyalty-kit";
import { postgresStorage } from "loyalty-kit/postgres";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { startDurableServer } from "../test/postgres/server.js";
import { type Bench, type Settings, shorten } from "./bench.js";
import { addClub, generatePurchases, SOURCE } from "./club.js";
import { cycleScattered, listPassIds, ORGANIZATION } from "./customers.js";
import { generateUnknownCustomers, toInput } from "./new-customers.js";
import { copyFile, createOurFile } from "./our-file.js";
import { fillDatabase } from "./postgres/filled.js";
import { openPool } from "./postgres/open-pool.js";
import { atMost, formatGoal, formatWhole, printTable } from "./report.js";
import type { Work } from "./timing.js";
import { addTagsAndPasses, CALLERS, createNewPairs, runConcurrently } from "./writes.js";

const COMMITS = 500;
const MANY = `from ${CALLERS} callers`;

/** The most pages of a commit that the project aims for. */
const goals: Readonly<Record<string, number>> = {
  "users.create": 12,
  "tags.assign": 4.5,
  "stamps.add": 5.2,
  "purchases.put": 10,
  [`purchases.put ${MANY}`]: 4,
};

/** What a change writes into the log of a database, one commit after the other: pages on SQLite, bytes on Postgres. */
export const runPages: Bench = async (settings) => {
  const { sharedFolder, folder, users } = settings;
  const commits = shorten(COMMITS, settings);
  const file = copyFile(await createOurFile(sharedFolder, users), folder, "pages");
  const passes = await addTagsAndPasses(file);
  const cards = await addCards(file, settings);
  const lines: Record<string, Record<string, string>> = {};
  for (const label of Object.keys(goals)) {
    const copy = copyFile(file, folder, "counted");
    const loyalty = new LoyaltyService({ storage: await sqliteStorage(copy) });
    const work = createWorks(loyalty.organization(ORGANIZATION), users, passes, cards)[label];
    const trees = await listPagesWritten(
      copy,
      work ?? throwMissing,
      label.endsWith(MANY) ? CALLERS : 1,
      commits,
    );
    await loyalty.close();
    const sum = [...trees.values()].reduce((all, each) => all + each, 0);
    lines[label] = {
      pages: sum.toFixed(2),
      goal: formatGoal(atMost(sum, goals[label] ?? 0)),
      most: [...trees]
        .toSorted(([, a], [, b]) => b - a)
        .slice(0, 6)
        .map(([name, count]) => `${name.replace("loyalty_", "")} ${count.toFixed(2)}`)
        .join(", "),
    };
  }
  printTable(`Pages that a commit writes on SQLite, ${formatWhole(users)} users`, lines);
  await measurePostgres(settings);
};

async function addCards(file: string, settings: Settings): Promise<string[]> {
  const loyalty = new LoyaltyService({ storage: await sqliteStorage(file) });
  const ids = await addClub(loyalty.organization(ORGANIZATION), settings);
  await loyalty.close();
  return ids;
}

/** A reader of the earlier state keeps the log from starting over in the meantime. */
async function listPagesWritten(
  file: string,
  work: Work,
  changes: number,
  commits: number,
): Promise<ReadonlyMap<string, number>> {
  for (let at = 0; at < commits; at += changes) await work();
  const reader = new Database(file);
  reader.exec("begin");
  reader.prepare("select 1 from loyalty_organizations").get();
  const before = readFrames(`${file}-wal`);
  for (let at = 0; at < commits; at += changes) await work();
  const after = readFrames(`${file}-wal`);
  reader.exec("commit");
  const namesByPage = new Map<unknown, unknown>(
    reader.prepare("select pageno, name from dbstat").raw().all().map(toPair),
  );
  reader.close();
  const count = Math.ceil(commits / changes) * changes;
  const trees = new Map<string, number>();
  for (const number of after.pages.slice(after.salt === before.salt ? before.pages.length : 0)) {
    const name = String(namesByPage.get(number) ?? "free");
    trees.set(name, (trees.get(name) ?? 0) + 1 / count);
  }
  return trees;
}

function toPair(row: unknown): [unknown, unknown] {
  return Array.isArray(row) ? [row[0], row[1]] : [null, null];
}

/** The numbers of the pages in a log since it started over, in the order in which they were written. */
function readFrames(log: string): { readonly salt: string; readonly pages: readonly number[] } {
  const content = readFileSync(log);
  const frame = content.readUInt32BE(8) + 24;
  const salt = content.toString("hex", 16, 24);
  const pages: number[] = [];
  for (let at = 32; at + frame <= content.length; at += frame) {
    // Behind the newest frame are those from before, or none yet.
    if (content.toString("hex", at + 8, at + 16) !== salt) break;
    pages.push(content.readUInt32BE(at));
  }
  return { salt, pages };
}

async function measurePostgres(settings: Settings): Promise<void> {
  const { users } = settings;
  const commits = shorten(COMMITS, settings);
  const server = await startDurableServer();
  try {
    await fillDatabase(server.url, users);
    const pool = openPool(server.url);
    const loyalty = new LoyaltyService({ storage: await postgresStorage(pool) });
    const organization = loyalty.organization(ORGANIZATION);
    for (let tag = 0; tag < 2; tag += 1) await organization.tags.create({ name: `new-${tag}` });
    const passes = listPassIds(users);
    const tasks = createWorks(organization, users, passes, await addClub(organization, settings));
    // Images of whole pages depend on when the last checkpoint was.
    await pool.query("alter system set full_page_writes = off");
    await pool.query("select pg_reload_conf()");
    const readLogBytes = async () => {
      const { rows } = await pool.query<{ bytes: number }>(
        "select (pg_current_wal_insert_lsn() - '0/0')::double precision as bytes",
      );
      return rows[0]?.bytes ?? 0;
    };
    const lines: Record<string, Record<string, string>> = {};
    for (const [label, work] of Object.entries(tasks)) {
      // Postgres writes the same for changes that share a commit.
      if (label.endsWith(MANY)) continue;
      for (let at = 0; at < commits; at += 1) await work();
      const before = await readLogBytes();
      for (let at = 0; at < commits; at += 1) await work();
      lines[label] = { bytes: formatWhole(((await readLogBytes()) - before) / commits) };
    }
    printTable(`Bytes that a commit writes into the log of Postgres, ${formatWhole(users)} users`, lines);
    await loyalty.close();
    await pool.end();
  } finally {
    await server.stop();
  }
}

function createWorks(
  { users, tags, stamps, purchases }: Organization,
  count: number,
  passIds: readonly string[],
  cardIds: readonly string[],
): Readonly<Record<string, Work>> {
  const newcomers = generateUnknownCustomers();
  const pairs = createNewPairs(count);
  const passes = cycleScattered(passIds);
  const newPurchases = generatePurchases(cardIds, "R");
  const put = () => {
    const { receipt, input } = newPurchases.next().value;
    return purchases.put(SOURCE, receipt, input);
  };
  return {
    "users.create": () => users.create(toInput(newcomers.next().value)),
    "tags.assign": () => tags.assign(...pairs.next().value),
    "stamps.add": () => stamps.add(passes.next().value),
    "purchases.put": put,
    [`purchases.put ${MANY}`]: runConcurrently(put),
  };
}

const throwMissing: Work = () => {
  throw new Error("there is no such change");
};
