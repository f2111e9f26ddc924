import { postgresStorage } from "loyalty-kit/postgres";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { awaitInStep, runStep } from "../../src/base/concurrency/step.js";
import { addTag, addUser, listSlugs } from "../sqlite/records.js";
import { type FaultyStorage, openFaulty } from "./faults/backends.js";
import { unavailable } from "./faults/refused.js";
import { createRole } from "./faults/role.js";
import { expectNothingUnhandled } from "./faults/unhandled.js";
import { createPlace } from "./place.js";

expectNothingUnhandled();

/** Identifies the pool's only connection. */
async function readConnection({ pool }: FaultyStorage): Promise<unknown> {
  return (await pool.query("select pg_backend_pid()")).rows;
}

/** Resolves when the next client that the pool hands out has lost its connection. */
function loseNextClient(pool: pg.Pool): Promise<void> {
  return new Promise((resolve) => {
    pool.once("acquire", (client) => client.once("error", () => resolve()));
  });
}

describe("a statement that takes too long", () => {
  it.each([
    { setting: "statement_timeout=500", state: "57014" },
    { setting: "lock_timeout=500", state: "55P03" },
  ])("undoes its transaction under $setting, and its connection is reused", async ({ setting, state }) => {
    const faulty = await openFaulty({ max: 1 }, setting);
    const { storage, other } = faulty;
    await storage.transaction("acme", (tx) => addTag(tx, "before"));
    const connection = await readConnection(faulty);
    await other.query("begin; lock table loyalty_users in exclusive mode");
    const slow = storage.transaction("acme", function* (tx) {
      yield* addTag(tx, "vip");
      yield* addUser(tx);
    });
    await expect(slow).rejects.toMatchObject({ ...unavailable, cause: { code: state } });
    await other.query("rollback");
    expect(await listSlugs(storage)).toEqual(["before"]);
    await storage.transaction("acme", addUser);
    expect(await readConnection(faulty)).toEqual(connection);
  });

  it("undoes its transaction even if the work ignores the error", async () => {
    const { storage, other } = await openFaulty({ max: 1 }, "lock_timeout=500");
    const tag = await storage.transaction("acme", (tx) => addTag(tx, "vip"));
    await other.query("begin; lock table loyalty_users in access exclusive mode");
    // The server accepts the commit of such a transaction, and replies that it rolled back.
    const unheeded = storage.transaction("acme", function* (tx) {
      yield* tx.updateTag({ ...tag, name: "changed" });
      yield* awaitInStep(runStep(tx.listUsers(-1, 1)).catch(() => undefined));
    });
    await expect(unheeded).rejects.toMatchObject({ ...unavailable, cause: { code: "55P03" } });
    await other.query("rollback");
    expect(await runStep(storage.reader("acme").listTags())).toEqual([tag]);
  });

  it("makes its snapshot fail, and its connection is reused", async () => {
    const faulty = await openFaulty({ max: 1 }, "statement_timeout=500");
    const { storage, other } = faulty;
    await storage.transaction("acme", (tx) => addTag(tx, "vip"));
    const connection = await readConnection(faulty);
    await other.query("begin; lock table loyalty_user_tags in access exclusive mode");
    const slow = storage.snapshot("acme", (reader) => reader.listTags());
    await expect(slow).rejects.toMatchObject({ ...unavailable, cause: { code: "57014" } });
    await other.query("rollback");
    expect(await listSlugs(storage)).toEqual(["vip"]);
    expect(await readConnection(faulty)).toEqual(connection);
  });

  it("makes the driver give up the connection, whose reply comes too late", async () => {
    const { storage, other } = await openFaulty({ max: 1, query_timeout: 2_000 });
    await other.query("begin; lock table loyalty_users in exclusive mode");
    const slow = storage.transaction("acme", function* (tx) {
      yield* addTag(tx, "vip");
      yield* addUser(tx);
    });
    await expect(slow).rejects.toMatchObject({ ...unavailable, cause: { message: "Query read timeout" } });
    await other.query("rollback");
    await storage.transaction("acme", (tx) => addTag(tx, "next"));
    await expect.poll(() => listSlugs(storage)).toEqual(["next"]);
  });
});

describe("a transaction that is idle for too long", () => {
  it("leaves nothing behind and reports the reason, and the next one gets a connection", async () => {
    const { storage, pool } = await openFaulty({ max: 1 }, "idle_in_transaction_session_timeout=500");
    const loss = loseNextClient(pool);
    const idle = storage.transaction("acme", function* (tx) {
      yield* addTag(tx, "vip");
      yield* awaitInStep(loss);
      yield* addUser(tx);
    });
    await expect(idle).rejects.toMatchObject({ ...unavailable, cause: { code: "25P03" } });
    expect(await runStep(storage.all.isEmpty())).toBe(true);
    await storage.transaction("acme", (tx) => addTag(tx, "next"));
    expect(await listSlugs(storage)).toEqual(["next"]);
  });

  it("is also ended if the limit is set for the role of a URL", async () => {
    const place = await createPlace();
    const role = await createRole(place, "set idle_in_transaction_session_timeout = 500");
    const storage = await postgresStorage(role.url);
    const watcher = new pg.Client({ connectionString: place.url });
    await watcher.connect();
    onTestFinished(async () => {
      await storage.close();
      await watcher.end();
      await role.remove();
      await place.remove();
    });
    const { username } = new URL(role.url);
    const pausing = "select from pg_stat_activity where usename = $1 and state = 'idle in transaction'";
    const idle = storage.transaction("acme", function* (tx) {
      yield* addTag(tx, "vip");
      yield* awaitInStep(
        expect.poll(async () => (await watcher.query(pausing, [username])).rowCount, patient).toBe(0),
      );
    });
    await expect(idle).rejects.toMatchObject(unavailable);
    expect(await runStep(storage.all.isEmpty())).toBe(true);
  });
});

const patient = { interval: 20, timeout: 20_000 };
