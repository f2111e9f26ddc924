import { migratePostgres, postgresStorage } from "loyalty-kit/postgres";
import { describe, expect, it, onTestFinished } from "vitest";
import { awaitInStep, runStep } from "../../src/base/concurrency/step.js";
import { openAcme } from "../kit/acme.js";
import { collect } from "../kit/collect.js";
import { addTag, addUser, listSlugs } from "../sqlite/records.js";
import { openFaulty, withSetting } from "./faults/backends.js";
import { holdUp } from "./faults/hold-up.js";
import { unavailable } from "./faults/refused.js";
import { expectNothingUnhandled } from "./faults/unhandled.js";
import { createPlace } from "./place.js";

expectNothingUnhandled();

const countUp = (count: number) => Array.from({ length: count }, (_, at) => at);

describe("a pool with one connection", () => {
  it("serves many concurrent transactions, snapshots and reads", async () => {
    const { storage, pool } = await openFaulty({ max: 1 });
    const works = countUp(40).flatMap((at) => [
      storage.transaction("acme", (tx) => addTag(tx, `tag-${at}`)),
      storage.snapshot("acme", (reader) => reader.listTags()),
      runStep(storage.reader("acme").usersOfTag(1, -1, 10)),
      runStep(storage.reader("acme").listTags()),
    ]);
    await Promise.all(works);
    expect(await listSlugs(storage)).toHaveLength(40);
    expect(pool.totalCount).toBe(1);
  });

  it("is enough for all concurrent calls of a service", async () => {
    const { storage, pool } = await openFaulty({ max: 1 });
    const { acme, loyalty } = openAcme({ storage });
    const messages: (string | null)[] = [];
    loyalty.on("user.created", ({ data }) => void messages.push(data.email));
    const { slug } = await acme.tags.create({ name: "VIP" });
    await acme.tags.create({ name: "Gold" });
    const filter = { operator: "OR" as const, conditions: [{ slug }] };
    const works = countUp(20).flatMap((at) => [
      acme.users
        .create({ email: `created-${at}@example.com` })
        .then(({ id }) => acme.tags.assign(id, slug))
        .then(() => acme.tags.query({ filter })),
      acme.users.import([{ email: `imported-${at}@example.com`, tags: ["VIP", `Tag ${at}`] }], {
        createTags: true,
      }),
      acme.tags.assignUsers("gold", { filter }),
      collect(acme.users.list()),
      acme.contacts.list({ search: "example" }),
      collect(acme.tags.users(slug)),
    ]);
    await Promise.all(works);
    await expect.poll(() => messages).toHaveLength(40);
    expect((await acme.tags.query({ filter })).totalElements).toBe(40);
    expect(await acme.tags.verifyIndex()).toMatchObject({ wrong: [] });
    expect(pool.totalCount).toBe(1);
  });

  it("makes a caller that waits too long for it fail with an error that can be retried", async () => {
    const { storage, pool } = await openFaulty({ max: 1, connectionTimeoutMillis: 500 });
    const late = storage.transaction("acme", function* () {
      yield* awaitInStep(expect(storage.transaction("acme", addUser)).rejects.toMatchObject(unavailable));
      yield* awaitInStep(
        expect(runStep(storage.reader("acme").listTags())).rejects.toMatchObject(unavailable),
      );
    });
    await late;
    await storage.transaction("acme", (tx) => addTag(tx, "next"));
    expect(pool.waitingCount).toBe(0);
  });
});

describe("a host's pool", () => {
  it("has an error listener until the storage is closed, and stays open", async () => {
    const { storage, pool, kill } = await openFaulty();
    expect(pool.listenerCount("error")).toBe(1);
    const another = await postgresStorage(pool);
    await another.close();
    await kill();
    expect(await listSlugs(storage)).toEqual([]);
    const idle = pool.idleCount;
    expect(idle).toBeGreaterThan(0);
    await storage.close();
    expect(pool.listenerCount("error")).toBe(0);
    expect(pool.idleCount).toBe(idle);
    expect((await pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
  });

  it("gets each client back with one error listener of ours, until the storage is closed", async () => {
    const { storage, pool } = await openFaulty({ max: 1 });
    await storage.transaction("acme", (tx) => addTag(tx, "vip"));
    await storage.transaction("acme", (tx) => addTag(tx, "vip")).catch(() => undefined);
    await storage.snapshot("acme", (reader) => reader.listTags());
    const client = await pool.connect();
    expect(client.listenerCount("error")).toBe(1);
    client.release();
    await storage.close();
    const same = await pool.connect();
    expect(same.listenerCount("error")).toBe(0);
    same.release();
  });

  it("doesn't crash the process when the backend of a host's transaction is killed", async () => {
    const { pool, kill } = await openFaulty({ max: 1 });
    const client = await pool.connect();
    await client.query("begin");
    await kill();
    await expect(client.query("select 1")).rejects.toThrow();
    client.release(true);
  });

  it("makes calls fail with storage_unavailable after the host has ended it", async () => {
    const { storage, pool } = await openFaulty();
    const end = pool.end.bind(pool);
    pool.end = async () => undefined;
    await end();
    await expect(runStep(storage.reader("acme").listTags())).rejects.toMatchObject(unavailable);
    await expect(storage.transaction("acme", addUser)).rejects.toMatchObject(unavailable);
  });
});

describe("closing the storage", () => {
  it("waits for calls in progress, and refuses later ones", async () => {
    const { storage, other, waitForWaiting: waiting } = await openFaulty();
    await other.query("begin; lock table loyalty_user_tags in access exclusive mode");
    const order: string[] = [];
    const writing = storage.transaction("acme", (tx) => addTag(tx, "vip")).then(() => order.push("written"));
    const reading = storage.snapshot("acme", (reader) => reader.listTags()).then(() => order.push("read"));
    await waiting(2);
    const closing = storage.close().then(() => order.push("closed"));
    const late = await Promise.allSettled([
      storage.transaction("acme", addUser),
      storage.snapshot("acme", (reader) => reader.listTags()),
      runStep(storage.reader("acme").listTags()),
    ]);
    for (const outcome of late) expect(outcome).toMatchObject({ status: "rejected", reason: unavailable });
    expect(order).toEqual([]);
    await other.query("rollback");
    await Promise.all([writing, reading, closing, storage.close(), storage.close()]);
    expect(order.at(-1)).toBe("closed");
    expect(order).toHaveLength(3);
    await storage.close();
  });

  it("ends our own connections, and handles the error of one that fails in the meantime", async () => {
    const place = await createPlace();
    onTestFinished(() => place.remove());
    await migratePostgres(place.url);
    const storage = await postgresStorage(withSetting(place.url, "idle_session_timeout=300"));
    expect(await listSlugs(storage)).toEqual([]);
    // The server ends the idle session, and this process notices only after it has begun to close.
    holdUp(700);
    await storage.close();
    await expect(runStep(storage.reader("acme").listTags())).rejects.toMatchObject(unavailable);
  });
});
