import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { LoyaltyService } from "loyalty-kit";
import type { OpenTransaction } from "loyalty-kit/joining";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { untyped } from "../kit/refusal.js";
import { createTemporaryFile } from "../sqlite/temporary-file.js";
import { inspectFile } from "./second-libraries.js";
import { createCustomer, readStamps } from "./shop.js";

/** Enough time to download the driver, and to compile it if no prebuilt binary fits, in milliseconds. */
const PATIENCE = 900_000;

interface Driver {
  readonly Database: new (file: string) => Connection;
}

interface Connection {
  all(
    sql: string,
    parameters: readonly unknown[],
    done: (error: Error | null, rows: unknown[]) => void,
  ): void;
  run(
    sql: string,
    parameters: readonly unknown[],
    done: (this: { changes: number }, error: Error | null) => void,
  ): void;
  close(done: () => void): void;
}

/**
 * Installs the package `sqlite3` with npx, which downloads it on first use and caches it in its own folder.
 */
async function installDriver(): Promise<Driver> {
  const path = ["-p", "process.env.PATH"];
  const args = ["--yes", "--package=sqlite3@6.0.1", "--", "node", ...path];
  const { stdout } = await promisify(execFile)("npx", args, { timeout: PATIENCE - 10_000 });
  const folder = stdout.split(delimiter).find((entry) => entry.includes("_npx")) ?? "";
  return untyped(createRequire(join(dirname(folder), "shop.js"))("sqlite3"));
}

let driver: Driver;
beforeAll(async () => {
  driver = await installDriver();
}, PATIENCE);

/** Opens a file through the driver, which runs its statements in threads. */
function openFile(file: string): OpenTransaction & { close(): Promise<void> } {
  const connection = new driver.Database(file);
  return {
    query: (sql, parameters) =>
      new Promise((resolve, reject) => {
        if (/^\s*(select|pragma)|\breturning\b/i.test(sql)) {
          connection.all(sql, parameters, (error, rows) =>
            error === null ? resolve({ rows, count: rows.length }) : reject(error),
          );
        } else {
          connection.run(sql, parameters, function (error) {
            error === null ? resolve({ rows: [], count: this.changes }) : reject(error);
          });
        }
      }),
    close: () => new Promise((resolve) => connection.close(() => resolve())),
  };
}

async function openShop() {
  const file = createTemporaryFile();
  const loyalty = new LoyaltyService({ storage: await sqliteStorage(file, { synchronous: "NORMAL" }) });
  onTestFinished(() => loyalty.close());
  const acme = loyalty.organization("acme");
  return { file, acme, ...(await createCustomer(acme)) };
}

it("a transaction of sqlite3 is refused before it writes, with an error that says what to do", async () => {
  const { file, acme, card } = await openShop();
  const second = openFile(file);
  await second.query("pragma foreign_keys = on", []);
  await second.query("begin", []);
  await expect(acme.joining(second).stamps.add(card)).rejects.toThrow(/node_sqlite3.*npm dedupe/s);
  await second.query("commit", []);
  await second.close();
  expect(await readStamps(acme, card)).toBe(0);
  expect(inspectFile(file)).toEqual({ stamps: 0, integrity: "ok" });
});

it("all successful changes are stored, though sqlite3 writes without joining and closes the file", async () => {
  const { file, acme, card } = await openShop();
  let answerCount = 0;
  const add = async () => {
    await acme.stamps.add(card);
    answerCount += 1;
  };
  await add();
  let isRefused = false;
  for (let order = 1; order < 200 && !isRefused; order += 1) {
    const second = openFile(file);
    await second.query("create table if not exists orders (id integer)", []);
    isRefused = await add().then(
      () => false,
      () => true,
    );
    await second.close();
  }
  expect(isRefused).toBe(true);
  await expect(add()).rejects.toThrow("npm dedupe");
  expect(inspectFile(file)).toEqual({ stamps: answerCount, integrity: "ok" });
});
