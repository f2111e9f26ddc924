import assert from "node:assert/strict";
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { StorageAdapter } from "loyalty-kit";
import { postgresStorage } from "loyalty-kit/postgres";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { copyStorage, type TableChecksum } from "loyalty-kit/storage";
import { startDurableServer } from "../test/postgres/server.js";
import type { Bench } from "./bench.js";
import { createOurFile } from "./our-file.js";
import { formatRate, formatWhole, printTable } from "./report.js";

/** Everything of a file to Postgres and back again, compared on both sides each time. */
export const runCopy: Bench = async ({ sharedFolder, folder, users }) => {
  const file = await createOurFile(sharedFolder, users);
  const server = await startDurableServer();
  try {
    const source = await sqliteStorage(file);
    const middle = await postgresStorage(server.url);
    const copied = await timeCopy(source, middle);
    await source.close();
    const end = await sqliteStorage(join(folder, "back.db"));
    const copiedBack = await timeCopy(middle, end);
    assert.deepEqual(copiedBack.tables, copied.tables);
    await middle.close();
    await end.close();
    const size = `${formatWhole(statSync(file).size / 2 ** 20)} MiB of SQLite`;
    printTable(`A copy of ${formatWhole(users)} customers, ${size}`, {
      "SQLite to Postgres": describeCopy(copied),
      "Postgres to SQLite": describeCopy(copiedBack),
    });
    rmSync(join(folder, "back.db"));
  } finally {
    await server.stop();
  }
};

interface CopyResult {
  readonly tables: readonly TableChecksum[];
  readonly ms: number;
  readonly peakMiB: number;
}

async function timeCopy(source: StorageAdapter, target: StorageAdapter): Promise<CopyResult> {
  const start = performance.now();
  let peak = 0;
  const onProgress = () => {
    peak = Math.max(peak, process.memoryUsage.rss());
  };
  const tables = await copyStorage(source, target, { onProgress });
  return { tables, ms: performance.now() - start, peakMiB: peak / 2 ** 20 };
}

function describeCopy({ tables, ms, peakMiB }: CopyResult): Readonly<Record<string, string>> {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  return {
    rows: formatWhole(rows),
    time: `${(ms / 1_000).toFixed(1)} s`,
    rate: formatRate(rows, ms),
    memory: `${formatWhole(peakMiB)} MiB`,
  };
}
