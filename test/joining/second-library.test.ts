import { closeSync, cpSync, mkdirSync, openSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import Sqlite from "better-sqlite3";
import { drizzle } from "drizzle-orm/better-sqlite3";
import Knex from "knex";
import { Kysely, SqliteDialect } from "kysely";
import { LoyaltyService, type Organization } from "loyalty-kit";
import { fromBetterSqlite3, fromDrizzle, fromKnex, fromPrisma, fromTypeOrm } from "loyalty-kit/joining";
import { sqliteStorage } from "loyalty-kit/sqlite";
import type { HostTransaction } from "loyalty-kit/storage";
import { DataSource } from "typeorm";
import { describe, expect, it, onTestFinished } from "vitest";
import { untyped } from "../kit/refusal.js";
import { createTemporaryFile } from "../sqlite/temporary-file.js";
import { createPrismaClient } from "./prisma-client.js";
import {
  inspectFile,
  linkCopy,
  loadNestedDriver,
  openTransactionOn,
  secondLibraries,
} from "./second-libraries.js";
import { createCustomer, readStamps } from "./shop.js";

/** The error's message names the problem and both libraries, and says what to do. */
const expectedMessage =
  /two SQLite libraries.*better_sqlite3\.node.*npm ls better-sqlite3.*npm dedupe.*overrides/s;

async function openShop(file = createTemporaryFile()) {
  const loyalty = new LoyaltyService({ storage: await sqliteStorage(file, { synchronous: "NORMAL" }) });
  onTestFinished(() => loyalty.close());
  const acme = loyalty.organization("acme");
  return { file, loyalty, acme, ...(await createCustomer(acme)) };
}

function catchError(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  return expect.fail("nothing was thrown");
}

describe.each(secondLibraries)("beside $name in the same process", ({ name, open }) => {
  it("a joined change is refused before it writes, with an error that names both libraries and says what to do", async () => {
    const { file, acme, card } = await openShop();
    const second = open(file);
    second.exec("begin");
    const joinedOrganization = acme.joining(openTransactionOn(second));
    await expect(joinedOrganization.stamps.add(card)).rejects.toThrow(expectedMessage);
    await expect(joinedOrganization.stamps.add(card)).rejects.toThrow(
      name.includes("better") ? "node_modules" : name,
    );
    second.exec("commit");
    expect(await readStamps(acme, card)).toBe(0);
    second.close();
    expect(inspectFile(file)).toEqual({ stamps: 0, integrity: "ok" });
  });

  it("a joined read is refused too, because closing the connection that was read through loses writes", async () => {
    const { file, acme, card } = await openShop();
    const second = open(file);
    second.exec("begin");
    await expect(acme.joining(openTransactionOn(second)).stamps.state(card)).rejects.toThrow(expectedMessage);
    second.exec("rollback");
    second.close();
  });

  it("a synchronous transaction is refused, inside and outside `runBetweenTransactions`", async () => {
    const { file, loyalty, acme, card } = await openShop();
    const second = open(file);
    const buy = () => {
      second.exec("begin immediate");
      const error = catchError(() => acme.joiningSync(second).stamps.add(card));
      second.exec("rollback");
      throw error;
    };
    expect(catchError(buy)).toMatchObject({ message: expect.stringMatching(expectedMessage) });
    await expect(loyalty.runBetweenTransactions(buy)).rejects.toThrow(expectedMessage);
    second.close();
    expect(inspectFile(file)).toEqual({ stamps: 0, integrity: "ok" });
  });

  it("a synchronous transaction is refused while the library holds a lock that the second library can't see", async () => {
    const { file, loyalty, acme, card } = await openShop();
    const second = open(file);
    const lent = loyalty.transaction(async (_, organization) => {
      await organization("acme").stamps.add(card);
      second.exec("begin");
      expect(catchError(() => acme.joiningSync(second).stamps.add(card))).toMatchObject({
        message: expect.stringMatching(expectedMessage),
      });
      second.exec("rollback");
    });
    await lent;
    second.close();
    expect(inspectFile(file)).toEqual({ stamps: 1, integrity: "ok" });
  });

  it("storage doesn't open a file that the second library has open, and the second library's later writes survive", async () => {
    const { file, loyalty } = await openShop();
    await loyalty.close();
    const second = open(file);
    second.exec("create table orders (id integer primary key)");
    await expect(sqliteStorage(file)).rejects.toThrow(expectedMessage);
    second.exec("insert into orders values (1)");
    second.close();
    const again = open(file);
    expect(again.query("select id from orders", []).rows).toEqual([{ id: 1 }]);
    again.close();
  });

  it("storage stops writing after the second library writes without joining, and all successful changes are stored", async () => {
    const { file, acme, card } = await openShop();
    let answerCount = 0;
    const add = async () => {
      await acme.stamps.add(card);
      answerCount += 1;
    };
    await add();
    const second = open(file);
    second.exec("create table orders (id integer primary key)");
    const writeUntilRefused = async () => {
      for (let order = 1; ; order += 1) {
        second.exec(`insert into orders values (${order})`);
        await add();
      }
    };
    await expect(writeUntilRefused()).rejects.toThrow(expectedMessage);
    second.close();
    await expect(add()).rejects.toThrow(expectedMessage);
    expect(inspectFile(file)).toEqual({ stamps: answerCount, integrity: "ok" });
  });

  it("storage stops writing after the second library has closed the file, and all successful changes are stored", async () => {
    const { file, loyalty, acme, card } = await openShop();
    const second = open(file);
    second.query("select count(*) from loyalty_users", []);
    second.close();
    let answerCount = 0;
    const writeUntilRefused = async () => {
      for (;;) {
        await acme.stamps.add(card);
        answerCount += 1;
      }
    };
    // The log is gone immediately, or the file stays open until the next garbage collection.
    await expect(writeUntilRefused()).rejects.toThrow(/npm ls better-sqlite3.*npm dedupe/s);
    await expect(loyalty.transaction(async () => "lent")).rejects.toThrow("npm dedupe");
    await expect(loyalty.runBetweenTransactions(() => "done")).rejects.toThrow("npm dedupe");
    expect(inspectFile(file)).toEqual({ stamps: answerCount, integrity: "ok" });
  });
});

/** Runs a transaction of a library whose driver is a nested copy. */
type RunNested = (file: string, work: (tx: HostTransaction) => Promise<void>) => Promise<unknown>;

const nested: Record<string, RunNested> = {
  async "better-sqlite3"(file, work) {
    const connection = new (loadNestedDriver().Driver)(file);
    connection.exec("begin");
    await work(fromBetterSqlite3(connection));
    connection.exec("rollback");
    connection.close();
  },
  async Drizzle(file, work) {
    const connection = new (loadNestedDriver().Driver)(file);
    connection.exec("begin");
    await work(fromDrizzle(drizzle(connection)));
    connection.exec("rollback");
    connection.close();
  },
  async Kysely(file, work) {
    const database = new (loadNestedDriver().Driver)(file);
    const db = new Kysely({ dialect: new SqliteDialect({ database }) });
    await db.transaction().execute(work);
    await db.destroy();
  },
  async Knex(file, work) {
    const { Driver } = loadNestedDriver();
    const Client = createRequire(import.meta.url)("knex/lib/dialects/better-sqlite3/index.js");
    const client = untyped(class extends Client {});
    client.prototype._driver = () => Driver;
    const knex = Knex({ client, connection: { filename: file }, useNullAsDefault: true });
    await knex.transaction((trx) => work(fromKnex(trx)));
    await knex.destroy();
  },
  async TypeORM(file, work) {
    const driver = loadNestedDriver().Driver;
    const source = await new DataSource({ type: "better-sqlite3", database: file, driver }).initialize();
    await source.transaction((manager) => work(fromTypeOrm(manager)));
    await source.destroy();
  },
  async Prisma(file, work) {
    const { folder } = loadNestedDriver();
    const prisma = createPrismaClient("sqlite", file, loadNestedAdapter(folder)({ url: `file:${file}` }));
    await prisma.$transaction((tx: Parameters<typeof fromPrisma>[0]) => work(fromPrisma(tx)));
    await prisma.$disconnect();
  },
};

/** Loads Prisma's adapter from a folder whose driver is a copy. */
function loadNestedAdapter(folder: string) {
  const { resolve } = createRequire(import.meta.url);
  const own = dirname(dirname(resolve("@prisma/adapter-better-sqlite3")));
  const modules = join(folder, "node_modules/@prisma");
  mkdirSync(modules, { recursive: true });
  cpSync(own, join(modules, "adapter-better-sqlite3"), { recursive: true });
  symlinkSync(join(own, "../driver-adapter-utils"), join(modules, "driver-adapter-utils"));
  const { PrismaBetterSqlite3 } = createRequire(join(folder, "shop.js"))("@prisma/adapter-better-sqlite3");
  return (options: { url: string }) => new PrismaBetterSqlite3(options);
}

describe.each(Object.entries(nested))(
  "a transaction of %s on a nested copy of better-sqlite3",
  (_, transaction) => {
    it("is refused before it writes", async () => {
      const { file, acme, card } = await openShop();
      await transaction(file, async (tx) => {
        await expect(acme.joining(tx).stamps.add(card)).rejects.toThrow(expectedMessage);
        await expect(acme.joining(tx).contacts.list()).rejects.toThrow(expectedMessage);
      });
      expect(await readStamps(acme, card)).toBe(0);
      expect(inspectFile(file)).toEqual({ stamps: 0, integrity: "ok" });
    });
  },
);

describe("without a second library", () => {
  async function buy(acme: Organization, connection: Sqlite.Database, card: string): Promise<void> {
    connection.exec("begin");
    await acme.joining(fromBetterSqlite3(connection)).stamps.add(card);
    connection.exec("commit");
  }

  it("a driver file under another name is joined, as some package managers link it", async () => {
    const { file, acme, card } = await openShop();
    const connection = new (linkCopy().Driver)(file);
    await buy(acme, connection, card);
    connection.close();
    await acme.stamps.add(card);
    expect(await readStamps(acme, card)).toBe(2);
  });

  it("a connection whose host has set a memory limit is joined, and the limit stays", async () => {
    const { file, acme, card } = await openShop();
    const connection = new Sqlite(file);
    const before = connection.pragma("soft_heap_limit", { simple: true });
    connection.pragma("soft_heap_limit = 500000000");
    await buy(acme, connection, card);
    expect(connection.pragma("soft_heap_limit", { simple: true })).toBe(500_000_000);
    connection.pragma(`soft_heap_limit = ${before}`);
    connection.close();
    expect(await readStamps(acme, card)).toBe(1);
  });

  it("a second storage, or a database file opened for copying, doesn't block writes", async () => {
    const { file, acme, card } = await openShop();
    const copied = openSync(`${file}-shm`, "r");
    const other = await openShopOn(file);
    await acme.stamps.add(card);
    await other.stamps.add(card);
    expect(await readStamps(acme, card)).toBe(2);
    closeSync(copied);
  });

  it("storage stops writing when its write-ahead log was deleted by hand", async () => {
    const { file, acme, card } = await openShop();
    rmSync(`${file}-wal`);
    await expect(acme.stamps.add(card)).rejects.toThrow("write-ahead log was removed");
  });
});

async function openShopOn(file: string): Promise<Organization> {
  const loyalty = new LoyaltyService({ storage: await sqliteStorage(file) });
  onTestFinished(() => loyalty.close());
  return loyalty.organization("acme");
}
