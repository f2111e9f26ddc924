import { LoyaltyService, type StorageAdapter } from "loyalty-kit";
import { postgresStorage } from "loyalty-kit/postgres";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { ConnectionQueue } from "../../adapters/storage/postgres/connection-queue.js";
import { runStep } from "../../src/base/concurrency/step.js";
import { serviceInternals } from "../../src/internals.js";
import { openFaulty } from "./faults/backends.js";
import { unavailable } from "./faults/refused.js";
import { createPlace } from "./place.js";

const CONNECTIONS = 4;

/** Creates a read that completes only when `answer` is called. */
function holdRead() {
  let answer = () => {};
  const release = new Promise<void>((resolve) => {
    answer = resolve;
  });
  return { read: () => release, answer };
}

describe("the queue for read connections", () => {
  it("reserves one connection for the next organization, no matter how many reads others queue", async () => {
    const turns = ConnectionQueue.createForReads(CONNECTIONS);
    const starts: string[] = [];
    const reads = Array.from({ length: 500 }, holdRead);
    const queueRead = (organizationId: string, { read }: ReturnType<typeof holdRead>) =>
      turns.run(organizationId, () => {
        starts.push(organizationId);
        return read();
      });
    const loud = reads.map((heldRead) => queueRead("loud", heldRead));
    expect(starts).toHaveLength(CONNECTIONS - 1);
    const quiet = [holdRead(), holdRead(), holdRead()];
    const asked3 = quiet.map((heldRead) => queueRead("quiet", heldRead));
    expect(starts.filter((each) => each === "quiet")).toHaveLength(1);
    // With two organizations that want all connections, each freed connection goes to one and then to the
    // other.
    for (const each of reads.slice(0, 3)) {
      each.answer();
      await new Promise(setImmediate);
    }
    expect(starts.filter((each) => each === "quiet").length).toBeGreaterThanOrEqual(2);
    for (const each of [...reads, ...quiet]) each.answer();
    await Promise.all([...loud, ...asked3]);
    expect(starts).toHaveLength(503);
  });

  it("refuses reads of an organization when ten thousand of them wait, but not those of another", async () => {
    const turns = ConnectionQueue.createForReads(1);
    const { read, answer } = holdRead();
    const reads = Array.from({ length: 10_001 }, () => turns.run("loud", read));
    expect(turns.waiting).toBe(10_000);
    await expect(turns.run("loud", read)).rejects.toMatchObject(unavailable);
    const other = turns.run("quiet", read);
    answer();
    await Promise.all([...reads, other]);
  });

  it("refuses reads without an organization when ten thousand of them wait, but not those with one", async () => {
    const turns = ConnectionQueue.createForReads(1);
    const { read, answer } = holdRead();
    const ending = new AbortController();
    const unnamedRead = turns.run(undefined, read, { signal: ending.signal });
    const reads = Array.from({ length: 9_999 }, () => turns.run(undefined, read));
    const leaves = turns.run(undefined, read, { signal: ending.signal });
    await expect(turns.run(undefined, read)).rejects.toMatchObject(unavailable);
    const namedRead = turns.run("quiet", read);
    // An aborted read leaves the queue.
    ending.abort();
    await expect(leaves).rejects.toThrow();
    const last = turns.run(undefined, read);
    await expect(turns.run(undefined, read)).rejects.toMatchObject(unavailable);
    answer();
    await Promise.all([unnamedRead, ...reads, namedRead, last]);
    // As many reads may wait as before.
    const blockingRead = holdRead();
    const again = Array.from({ length: 10_001 }, () => turns.run(undefined, blockingRead.read));
    await expect(turns.run(undefined, read)).rejects.toMatchObject(unavailable);
    blockingRead.answer();
    await Promise.all(again);
  });
});

it("sign-ins, and other reads before an organization is known, are refused when ten thousand wait", async () => {
  const { pool, other, waitForWaiting: waiting } = await openFaulty({ max: 2 });
  const loyalty = new LoyaltyService({ storage: await postgresStorage(pool) });
  onTestFinished(() => loyalty.close());
  await loyalty.organization("acme").people.add({ email: "ada@example.com", role: "owner" });
  await other.query("begin");
  await other.query("lock table loyalty_people in access exclusive mode");
  const heldReads = Array.from({ length: 10_002 }, () => serviceInternals(loyalty).signIns.hasPeople());
  await waiting(2);
  await expect(serviceInternals(loyalty).signIns.hasPeople()).rejects.toMatchObject(unavailable);
  await other.query("rollback");
  expect(new Set(await Promise.all(heldReads))).toEqual(new Set([true]));
});

describe.each<{ how: string; read: (storage: StorageAdapter, organizationId: string) => Promise<unknown> }>([
  { how: "one statement", read: (storage, id) => runStep(storage.reader(id).listTags()) },
  {
    how: "a snapshot",
    read: (storage, organizationId) => storage.snapshot(organizationId, (reader) => reader.listTags()),
  },
  { how: "a read that takes a snapshot", read: (storage, id) => runStep(storage.reader(id).readTagSets([])) },
])("while 500 reads of one organization wait, $how of another", ({ read }) => {
  it("completes after fewer than 50 of them", async () => {
    const place = await createPlace();
    const pool = new pg.Pool({ connectionString: place.url, max: CONNECTIONS });
    const storage = await postgresStorage(pool);
    onTestFinished(async () => {
      await storage.close();
      await pool.end();
      await place.remove();
    });
    // Opens all connections.
    await Promise.all(["a", "b", "c", "d"].map((id) => read(storage, id)));
    let before = 0;
    const loud = Array.from({ length: 500 }, async () => {
      await read(storage, "loud");
      before += 1;
    });
    await read(storage, "quiet");
    expect(before).toBeLessThan(50);
    await Promise.all(loud);
    expect(before).toBe(500);
  });
});

it("an operator's lock on a table that one organization reads leaves a connection for others", async () => {
  const { pool, other, waitForWaiting: waiting } = await openFaulty({ max: 3 });
  const storage = await postgresStorage(pool);
  const loyalty = new LoyaltyService({ storage });
  onTestFinished(() => loyalty.close());
  await other.query("begin");
  await other.query("lock table loyalty_templates in access exclusive mode");
  const heldReads = Array.from({ length: 20 }, () => loyalty.organization("loud").templates.list());
  await waiting(2);
  expect(await loyalty.organization("quiet").tags.list()).toEqual([]);
  await other.query("rollback");
  await Promise.all(heldReads);
});
