import { readFileSync } from "node:fs";
import Database from "better-sqlite3";
import { LoyaltyService, type Organization } from "loyalty-kit";
import { postgresStorage } from "loyalty-kit/postgres";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { startDurableServer } from "../test/postgres/server.js";
import type { Bench } from "./bench.js";
import { ORGANIZATION, passId, scattered } from "./customers.js";
import { inputOf, strangers } from "./new-customers.js";
import { copyOf, ourFile } from "./our-file.js";
import { fill } from "./postgres/filled.js";
import { openPool } from "./postgres/open-pool.js";
import { atMost, judged, printTable, whole } from "./report.js";
import type { Work } from "./timing.js";
import { newPairs, withTagsAndPasses } from "./writes.js";

const COMMITS = 500;
const PASSES = 1_000;

/** The most pages of a commit that the project aims for. */
const goals: Readonly<Record<string, number>> = {
  "users.create": 12,
  "tags.assign": 4.5,
  "stamps.add": 5.2,
};

/** What a change writes into the log of a database, one commit after the other: pages on SQLite, bytes on Postgres. */
export const pages: Bench = async ({ shared, folder, users }) => {
  const file = copyOf(await ourFile(shared, users), folder, "pages");
  const passes = await withTagsAndPasses(file);
  const lines: Record<string, Record<string, string>> = {};
  for (const what of Object.keys(goals)) {
    const copy = copyOf(file, folder, "counted");
    const loyalty = new LoyaltyService({ storage: await sqliteStorage(copy) });
    const work = worksOf(loyalty.organization(ORGANIZATION), users, passes)[what];
    const trees = await pagesOf(copy, work ?? missing);
    await loyalty.close();
    const sum = [...trees.values()].reduce((all, each) => all + each, 0);
    lines[what] = {
      pages: sum.toFixed(2),
      goal: judged(atMost(sum, goals[what] ?? 0)),
      most: [...trees]
        .toSorted(([, a], [, b]) => b - a)
        .slice(0, 6)
        .map(([name, count]) => `${name.replace("loyalty_", "")} ${count.toFixed(2)}`)
        .join(", "),
    };
  }
  printTable(`Pages that a commit writes on SQLite, ${whole(users)} users`, lines);
  await onPostgres(users);
};

/** A reader that stays at the state before keeps the log from starting over meanwhile. */
async function pagesOf(file: string, work: Work): Promise<ReadonlyMap<string, number>> {
  for (let at = 0; at < COMMITS; at += 1) await work();
  const reader = new Database(file);
  reader.exec("begin");
  reader.prepare("select 1 from loyalty_organizations").get();
  const before = framesOf(`${file}-wal`);
  for (let at = 0; at < COMMITS; at += 1) await work();
  const after = framesOf(`${file}-wal`);
  reader.exec("commit");
  const nameOf = new Map<unknown, unknown>(
    reader.prepare("select pageno, name from dbstat").raw().all().map(pair),
  );
  reader.close();
  const trees = new Map<string, number>();
  for (const number of after.pages.slice(after.salt === before.salt ? before.pages.length : 0)) {
    const name = String(nameOf.get(number) ?? "free");
    trees.set(name, (trees.get(name) ?? 0) + 1 / COMMITS);
  }
  return trees;
}

function pair(row: unknown): [unknown, unknown] {
  return Array.isArray(row) ? [row[0], row[1]] : [null, null];
}

/** The numbers of the pages that a log has since it started over, in the order in which they were written. */
function framesOf(log: string): { readonly salt: string; readonly pages: readonly number[] } {
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

async function onPostgres(users: number): Promise<void> {
  const server = await startDurableServer();
  try {
    await fill(server.url, users);
    const pool = openPool(server.url);
    const loyalty = new LoyaltyService({ storage: await postgresStorage(pool) });
    const organization = loyalty.organization(ORGANIZATION);
    for (let tag = 0; tag < 2; tag += 1) await organization.tags.create({ name: `new-${tag}` });
    const passes = Array.from({ length: PASSES }, (_, at) => passId(2 * at));
    const works = worksOf(organization, users, passes);
    // Images of whole pages depend on when the last checkpoint was.
    await pool.query("alter system set full_page_writes = off");
    await pool.query("select pg_reload_conf()");
    const end = async () => {
      const { rows } = await pool.query<{ bytes: number }>(
        "select (pg_current_wal_insert_lsn() - '0/0')::double precision as bytes",
      );
      return rows[0]?.bytes ?? 0;
    };
    const lines: Record<string, Record<string, string>> = {};
    for (const [what, work] of Object.entries(works)) {
      for (let at = 0; at < COMMITS; at += 1) await work();
      const before = await end();
      for (let at = 0; at < COMMITS; at += 1) await work();
      lines[what] = { bytes: whole(((await end()) - before) / COMMITS) };
    }
    printTable(`Bytes that a commit writes into the log of Postgres, ${whole(users)} users`, lines);
    await loyalty.close();
    await pool.end();
  } finally {
    await server.stop();
  }
}

function worksOf(
  { users, tags, stamps }: Organization,
  count: number,
  passIds: readonly string[],
): Readonly<Record<string, Work>> {
  const newcomers = strangers();
  const pairs = newPairs(count);
  const passes = scattered(passIds);
  return {
    "users.create": () => users.create(inputOf(newcomers.next().value)),
    "tags.assign": () => tags.assign(...pairs.next().value),
    "stamps.add": () => stamps.add(passes.next().value),
  };
}

const missing: Work = () => {
  throw new Error("there is no such change");
};
