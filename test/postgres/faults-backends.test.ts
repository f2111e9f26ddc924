import type { StorageAdapter } from "loyalty-kit";
import type { StorageTransaction } from "loyalty-kit/storage";
import { describe, expect, it } from "vitest";
import { awaitInStep, runStep, type Step } from "../../src/base/concurrency/step.js";
import { addTag, addUser, assign, listSlugs } from "../sqlite/records.js";
import { openFaulty } from "./faults/backends.js";
import { holdUp } from "./faults/hold-up.js";
import { unavailable } from "./faults/refused.js";
import { expectNothingUnhandled } from "./faults/unhandled.js";

expectNothingUnhandled();

function* addHolder(tx: StorageTransaction): Step<void> {
  const tag = yield* addTag(tx, "vip");
  const user = yield* addUser(tx);
  yield* assign(tx, user.ordinal, tag);
}

/** Asserts that nothing of the change is stored, and that the same change now succeeds. */
async function expectUndone(storage: StorageAdapter): Promise<void> {
  expect(await runStep(storage.all.isEmpty())).toBe(true);
  await storage.transaction("acme", addHolder);
  expect(await listSlugs(storage)).toEqual(["vip"]);
  expect(await runStep(storage.reader("acme").verifyTagSets())).toMatchObject({ wrong: [] });
}

describe("a transaction whose backend is killed", () => {
  it("between two statements leaves nothing behind", async () => {
    const { storage, kill } = await openFaulty();
    const killed = storage.transaction("acme", function* (tx) {
      const tag = yield* addTag(tx, "vip");
      yield* awaitInStep(kill());
      yield* assign(tx, (yield* addUser(tx)).ordinal, tag);
    });
    // The cause says why the connection was lost.
    await expect(killed).rejects.toMatchObject({ ...unavailable, cause: { code: "57P01" } });
    await expectUndone(storage);
  });

  it("after its last statement leaves nothing behind", async () => {
    const { storage, kill } = await openFaulty();
    const killed = storage.transaction("acme", function* (tx) {
      yield* addHolder(tx);
      yield* awaitInStep(kill());
    });
    await expect(killed).rejects.toMatchObject({ ...unavailable, cause: { code: "57P01" } });
    await expectUndone(storage);
  });

  it("leaves nothing behind, even if its work ignores the error", async () => {
    const { storage, kill } = await openFaulty();
    const killed = storage.transaction("acme", function* (tx) {
      yield* addHolder(tx);
      yield* awaitInStep(kill());
      yield* awaitInStep(runStep(addTag(tx, "late")).catch(() => undefined));
    });
    await expect(killed).rejects.toMatchObject(unavailable);
    await expectUndone(storage);
  });

  it("in the middle of a statement leaves nothing behind", async () => {
    const { storage, other, kill, waitForWaiting: waiting } = await openFaulty();
    await other.query("begin; lock table loyalty_user_tag_assignments in exclusive mode");
    const killed = storage.transaction("acme", addHolder);
    const expectation = expect(killed).rejects.toMatchObject({ ...unavailable, cause: { code: "57P01" } });
    await waiting(1);
    await kill();
    await expectation;
    await other.query("rollback");
    await expectUndone(storage);
  });

  it("while it waits for its organization leaves nothing behind, and doesn't affect the transaction it waits for", async () => {
    const { storage, kill, waitForWaiting: waiting } = await openFaulty();
    const outcomes = await storage.transaction("acme", function* (tx) {
      yield* addHolder(tx);
      const killed = ["first", "second"].map((slug) =>
        storage.transaction("acme", (tx) => addTag(tx, slug), { isOutOfTurn: true }),
      );
      const results = Promise.allSettled(killed);
      yield* awaitInStep(waiting(2));
      yield* awaitInStep(kill("waiting"));
      return yield* awaitInStep(results);
    });
    expect(outcomes).toHaveLength(2);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: "rejected", reason: unavailable });
    }
    expect(await listSlugs(storage)).toEqual(["vip"]);
    expect(await runStep(storage.reader("acme").verifyTagSets())).toMatchObject({ wrong: [] });
  });

  it("lets transactions that wait for its organization continue", async () => {
    const { storage, kill, waitForWaiting: waiting } = await openFaulty();
    const others: Promise<unknown>[] = [];
    const killed = storage.transaction("acme", function* (tx) {
      yield* addHolder(tx);
      others.push(
        ...["first", "second"].map((slug) =>
          storage.transaction("acme", (tx) => addTag(tx, slug), { isOutOfTurn: true }),
        ),
      );
      yield* awaitInStep(waiting(2));
      yield* awaitInStep(kill("pausing"));
    });
    await expect(killed).rejects.toMatchObject(unavailable);
    await Promise.all(others);
    expect(await runStep(storage.reader("acme").listUsers(-1, 10))).toEqual([]);
    expect(await listSlugs(storage)).toEqual(["first", "second"]);
    expect(await runStep(storage.reader("acme").verifyTagSets())).toMatchObject({ wrong: [] });
  });
});

describe("a backend that is killed", () => {
  it("during a snapshot makes it fail, and the next snapshot succeeds", async () => {
    const { storage, kill } = await openFaulty();
    await storage.transaction("acme", addHolder);
    const killed = storage.snapshot("acme", function* (reader) {
      yield* reader.listTags();
      yield* awaitInStep(kill());
      return yield* reader.listTags();
    });
    await expect(killed).rejects.toMatchObject(unavailable);
    expect(await storage.snapshot("acme", (reader) => reader.findTag("vip"))).not.toBeNull();
  });

  it("during a read makes it fail, and the next read succeeds", async () => {
    const { storage, other, kill, waitForWaiting: waiting } = await openFaulty();
    await storage.transaction("acme", addHolder);
    await other.query("begin; lock table loyalty_user_tags in access exclusive mode");
    const expectation = expect(runStep(storage.reader("acme").listTags())).rejects.toMatchObject(unavailable);
    await waiting(1);
    await kill();
    await expectation;
    await other.query("rollback");
    expect(await listSlugs(storage)).toEqual(["vip"]);
  });

  it("while its connection is idle in the pool affects no call", async () => {
    const { pool, storage, kill } = await openFaulty();
    await Promise.all([storage.transaction("acme", addHolder), listSlugs(storage), listSlugs(storage)]);
    expect(pool.idleCount).toBeGreaterThan(1);
    await kill();
    expect(pool.totalCount).toBe(0);
    expect(await listSlugs(storage)).toEqual(["vip"]);
  });

  it("just as the pool hands out its connection doesn't crash the process", async () => {
    const { pool, storage } = await openFaulty({ max: 1 });
    // The server ends the session right after its reply, and this process receives both at the same time.
    const before = pool.query("set idle_session_timeout = '1ms'");
    const next = storage.transaction("acme", addHolder);
    const expectation = expect(next).rejects.toMatchObject({ ...unavailable, cause: { code: "57P05" } });
    pool.once("acquire", () => process.nextTick(holdUp, 300));
    await before;
    await expectation;
    await expectUndone(storage);
  });
});
