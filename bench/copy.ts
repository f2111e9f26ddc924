import assert from "node:assert/strict";
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { StorageAdapter } from "loyalty-kit";
import { postgresStorage } from "loyalty-kit/postgres";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { copyStorage, type TableChecksum } from "loyalty-kit/storage";
import { startDurableServer } from "../test/postgres/server.js";
import type { Bench } from "./bench.js";
import { ourFile } from "./our-file.js";
import { printTable, rateOf, whole } from "./report.js";

/** Everything of a file to Postgres and back again, compared on both sides each time. */
export const copy: Bench = async ({ shared, folder, users }) => {
  const file = await ourFile(shared, users);
  const server = await startDurableServer();
  try {
    const source = await sqliteStorage(file);
    const middle = await postgresStorage(server.url);
    const there = await timed(source, middle);
    await source.close();
    const end = await sqliteStorage(join(folder, "back.db"));
    const back = await timed(middle, end);
    assert.deepEqual(back.tables, there.tables);
    await middle.close();
    await end.close();
    const size = `${whole(statSync(file).size / 2 ** 20)} MiB of SQLite`;
    printTable(`A copy of ${whole(users)} customers, ${size}`, {
      "SQLite to Postgres": told(there),
      "Postgres to SQLite": told(back),
    });
    rmSync(join(folder, "back.db"));
  } finally {
    await server.stop();
  }
};

interface Copied {
  readonly tables: readonly TableChecksum[];
  readonly ms: number;
  readonly peakMiB: number;
}

async function timed(from: StorageAdapter, to: StorageAdapter): Promise<Copied> {
  const start = performance.now();
  let peak = 0;
  const onProgress = () => {
    peak = Math.max(peak, process.memoryUsage.rss());
  };
  const tables = await copyStorage(from, to, { onProgress });
  return { tables, ms: performance.now() - start, peakMiB: peak / 2 ** 20 };
}

function told({ tables, ms, peakMiB }: Copied): Readonly<Record<string, string>> {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  return {
    rows: whole(rows),
    time: `${(ms / 1_000).toFixed(1)} s`,
    rate: rateOf(rows, ms),
    memory: `${whole(peakMiB)} MiB`,
  };
}
