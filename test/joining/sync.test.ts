import Sqlite from "better-sqlite3";
import { drizzle } from "drizzle-orm/better-sqlite3";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { LoyaltyService, type SyncOrganization } from "loyalty-kit";
import { fromBetterSqlite3, fromDrizzle } from "loyalty-kit/joining";
import { memoryStorage } from "loyalty-kit/memory";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { runStep } from "../../src/base/concurrency/step.js";
import { getErrorDetail } from "../kit/refusal.js";
import { otherProgram } from "../sqlite/open-storage.js";
import { createTemporaryFile } from "../sqlite/temporary-file.js";
import { expectRefused } from "./not-synchronous.js";
import { createCustomer, listOutbox, readStamps, recordEvents } from "./shop.js";

const orders = sqliteTable("orders", { id: text().primaryKey(), count: integer().notNull() });

/** The work of a synchronous transaction that an organization joins. */
type JoinedCall = (acme: SyncOrganization, order: (id: string) => void) => unknown;

async function openShop(library: "better-sqlite3" | "Drizzle") {
  const file = createTemporaryFile();
  const errors: unknown[] = [];
  const storage = await sqliteStorage(file, { synchronous: "NORMAL" });
  const loyalty = new LoyaltyService({ storage, onError: (error) => errors.push(error) });
  const connection = new Sqlite(file);
  connection.exec("create table orders (id text primary key, count integer not null)");
  const db = drizzle(connection);
  onTestFinished(async () => {
    await loyalty.close();
    connection.close();
    expect(errors).toEqual([]);
  });
  const acme = loyalty.organization("acme");

  function transaction(work: JoinedCall): unknown {
    if (library === "Drizzle") {
      return db.transaction((tx) =>
        work(acme.joiningSync(fromDrizzle(tx)), (id) => tx.insert(orders).values({ id, count: 1 }).run()),
      );
    }
    const insert = connection.prepare("insert into orders (id, count) values (?, 1)");
    return connection.transaction(() =>
      work(acme.joiningSync(fromBetterSqlite3(connection)), (id) => insert.run(id)),
    )();
  }

  const listOrders = () =>
    db
      .select({ id: orders.id })
      .from(orders)
      .all()
      .map(({ id }) => id);
  return {
    file,
    storage,
    loyalty,
    connection,
    db,
    acme,
    transaction,
    ordered: listOrders,
    ...(await createCustomer(acme)),
  };
}

/** Returns the error that a call throws. */
function catchError(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  return expect.fail("nothing was thrown");
}

const unavailable = { code: "storage_unavailable" };

describe.each(["better-sqlite3", "Drizzle"] as const)("a synchronous transaction of %s", (library) => {
  it("is committed with its joined calls, which return synchronously, and listeners receive events afterwards", async () => {
    const { transaction, ordered, loyalty, storage, acme, ada, card } = await openShop(library);
    const [{ qrCodeValue: code = "" } = {}] = await acme.passes.ofUser(ada);
    const { events, count } = recordEvents(loyalty, "stamp.added", "stamp_card.completed");
    const receipt = transaction((joinedOrganization, order) => {
      order("order-1");
      const { id } = joinedOrganization.passes.lookup(code);
      joinedOrganization.stamps.add(id, { count: 9 });
      return joinedOrganization.stamps.add(id, { count: 2 });
    });
    expect(receipt).toMatchObject({ currentStamps: 1, completions: 1 });
    expect(events).toEqual([]);
    expect(ordered()).toEqual(["order-1"]);
    expect(await readStamps(acme, card)).toBe(1);
    await count(3);
    expect(events).toEqual(["acme stamp.added", "acme stamp.added", "acme stamp_card.completed"]);
    expect(await listOutbox(storage)).toEqual(["4 stamp.added", "5 stamp.added", "6 stamp_card.completed"]);
  });

  it("is rolled back with its joined calls, without emitting events", async () => {
    const { transaction, ordered, storage, loyalty, acme, card } = await openShop(library);
    const { events, count } = recordEvents(loyalty, "stamp.added", "user.created");
    const declined = catchError(() =>
      transaction((joinedOrganization, order) => {
        order("order-1");
        joinedOrganization.stamps.add(card);
        throw new Error("the card was declined");
      }),
    );
    expect(declined).toEqual(new Error("the card was declined"));
    expect(ordered()).toEqual([]);
    expect(await readStamps(acme, card)).toBe(0);
    expect(await listOutbox(storage)).toEqual([]);
    await acme.users.create({ email: "grace@example.com" });
    await count(1);
    expect(events).toEqual(["acme user.created"]);
  });

  it("continues after a refused call, which leaves nothing behind", async () => {
    const { transaction, ordered, storage, acme, card } = await openShop(library);
    transaction((joinedOrganization, order) => {
      expect(catchError(() => joinedOrganization.stamps.add("nobody's"))).toMatchObject({
        code: "resource_not_found",
      });
      expect(catchError(() => joinedOrganization.stamps.add(card, { count: 1_000 }))).toMatchObject({
        code: "validation_failed",
      });
      order("order-1");
      expect(catchError(() => joinedOrganization.stamps.remove(card))).toMatchObject({
        code: "not_enough_stamps",
      });
      const error = catchError(() => joinedOrganization.users.create({ email: "ADA@example.com" }));
      expect(error).toMatchObject({ code: "user_already_exists" });
      joinedOrganization.stamps.add(card);
    });
    expect(ordered()).toEqual(["order-1"]);
    expect(await readStamps(acme, card)).toBe(1);
    expect(await listOutbox(storage)).toEqual(["4 stamp.added"]);
  });

  it("has all calls of a sale, and they behave as those of the organization", async () => {
    const { transaction, acme, card } = await openShop(library);
    const [template] = await acme.templates.list();
    if (template === undefined) throw new Error("the shop has a template");
    transaction(({ users, passes, stamps }) => {
      const grace = users.create({ email: "grace@example.com", name: "Grace" });
      expect(users.upsert({ email: "grace@example.com", name: "Grace Hopper" }).id).toBe(grace.id);
      const pass = passes.create(template.id, { userId: grace.id });
      expect(passes.ensure(template.id, { user: { email: "grace@example.com" } }).id).toBe(pass.id);
      expect(passes.lookup(pass.qrCodeValue)).toMatchObject({ id: pass.id, rewardsAvailable: 0 });
      stamps.set(pass.id, { stamps: 9 });
      const { entryId, rewardsAvailable } = stamps.add(pass.id);
      expect(rewardsAvailable).toBe(1);
      expect(stamps.redeem(pass.id).rewardsAvailable).toBe(0);
      stamps.add(card, { count: 3 });
      expect(stamps.reset(card).currentStamps).toBe(0);
      expect(catchError(() => stamps.reverse(pass.id, { entryId }))).toMatchObject({
        code: "reward_already_redeemed",
      });
    });
    const found = await acme.contacts.list({ search: "hopper" });
    expect(found.content.map(({ name }) => name)).toEqual(["Grace Hopper"]);
    expect((await acme.tags.verifyIndex()).wrong).toEqual([]);
    expect(await acme.statistics.get({ days: 1 })).toMatchObject({ customers: 2, activeCards: 2, stamps: 4 });
  });

  it("enforces scopes, and records the actor", async () => {
    const { connection, loyalty, acme, card } = await openShop(library);
    const actor = { subject: "anna" };
    const till = loyalty.organization("acme", { scopes: ["loyalty:manage"], actor });
    connection.transaction(() => {
      const joinedOrganization = till.joiningSync(fromBetterSqlite3(connection));
      joinedOrganization.stamps.add(card);
      expect(catchError(() => joinedOrganization.passes.lookup("x"))).toMatchObject({
        code: "access_denied",
      });
    })();
    expect((await acme.stamps.history(card, { subject: "anna" })).content).toHaveLength(1);
  });

  it("refuses asynchronous tasks, both async functions and functions that return a promise", async () => {
    const { loyalty } = await openShop(library);
    let hasRun = false;
    const asynchronous = loyalty.runBetweenTransactions(async () => {
      hasRun = true;
    });
    await expect(asynchronous).rejects.toThrow(TypeError);
    expect(hasRun).toBe(false);
    await expect(loyalty.runBetweenTransactions(() => Promise.resolve())).rejects.toThrow("synchronous");
  });

  it("is refused immediately while the library has a transaction open, but never inside `runBetweenTransactions`", async () => {
    const { transaction, connection, loyalty, acme, card } = await openShop(library);
    const before = loyalty.transaction(async (_, organization) => {
      await organization("acme").stamps.add(card);
      expect(catchError(() => transaction(({ stamps }) => stamps.add(card)))).toMatchObject(unavailable);
    });
    await before;
    expect(connection.pragma("busy_timeout", { simple: true })).toBe(5_000);
    const sale = loyalty.runBetweenTransactions(() => transaction(({ stamps }) => stamps.add(card)));
    await Promise.all([sale, acme.stamps.add(card)]);
    const writers = Array.from({ length: 100 }, (_, at) =>
      at % 2 === 0
        ? acme.stamps.add(card)
        : loyalty.runBetweenTransactions(() => transaction(({ stamps }) => stamps.add(card))),
    );
    await Promise.all(writers);
    const { content } = await acme.stamps.history(card, { size: 200 });
    expect(content).toHaveLength(103);
  });
});

describe("a synchronous joined call", () => {
  it("is refused if another program has the lock, the storage is closed, or no transaction is open", async () => {
    const { file, connection, acme, loyalty, card, transaction } = await openShop("better-sqlite3");
    connection.pragma("busy_timeout = 1");
    const other = otherProgram(file);
    other.exec("begin immediate");
    expect(catchError(() => transaction(({ stamps }) => stamps.add(card)))).toMatchObject({
      ...unavailable,
      message: expect.stringContaining("Another transaction holds the write lock."),
    });
    other.exec("rollback");
    const idle = acme.joiningSync(fromBetterSqlite3(connection));
    expect(catchError(() => idle.stamps.add(card))).toBeInstanceOf(TypeError);
    expect(await readStamps(acme, card)).toBe(0);
    await loyalty.close();
    expect(catchError(() => transaction(({ stamps }) => stamps.add(card)))).toMatchObject({
      ...unavailable,
      message: expect.stringContaining("The service is closed."),
    });
    expect(await getErrorDetail(loyalty.runBetweenTransactions(() => "never"))).toMatchObject(unavailable);
  });

  it("is refused while an earlier joined call isn't awaited, and that call continues", async () => {
    const { connection, acme, card } = await openShop("better-sqlite3");
    const tx = fromBetterSqlite3(connection);
    connection.exec("begin");
    const call = acme.joining(tx).stamps.add(card);
    const lookUp = () => catchError(() => acme.joiningSync(tx).passes.lookup("nobody's"));
    let error = lookUp();
    for (let steps = 0; steps < 100 && !(error instanceof TypeError); steps += 1) {
      await null;
      error = lookUp();
    }
    expect(error).toEqual(new TypeError("an earlier call on this transaction wasn't awaited"));
    await call;
    acme.joiningSync(tx).stamps.add(card);
    connection.exec("commit");
    expect(await readStamps(acme, card)).toBe(2);
  });

  it("is refused in memory storage", async () => {
    await expectRefused(memoryStorage());
  });

  it("is undone if its statements don't return synchronously", async () => {
    const { connection, acme, card, storage } = await openShop("better-sqlite3");
    const tx = fromBetterSqlite3(connection);
    connection.exec("begin");
    const slow = {
      query: (sql: string, parameters: readonly unknown[]) => awaitableUpdate(sql, tx.query(sql, parameters)),
    };
    expect(catchError(() => acme.joiningSync(slow).stamps.add(card))).toBeInstanceOf(TypeError);
    connection.exec("commit");
    expect(await readStamps(acme, card)).toBe(0);
    expect(await runStep(storage.reader("acme").listEvents(null, 3, 10))).toEqual([]);
  });
});

/**
 * Returns a promise instead of the result of an update, like a driver that falsely claims to be synchronous.
 */
function awaitableUpdate<T>(sql: string, result: T): T {
  return /^update/i.test(sql) ? Object.assign(Promise.resolve(result), result) : result;
}
