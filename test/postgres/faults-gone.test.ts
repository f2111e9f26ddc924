import { describe, expect, it } from "vitest";
import { addTag, listSlugs } from "../sqlite/records.js";
import { openFaulty } from "./faults/backends.js";
import { expectNothingUnhandled } from "./faults/unhandled.js";

expectNothingUnhandled();

const abortError = new Error("nobody waits");

describe("an aborted snapshot", () => {
  it("is canceled on the server, and its connection is reused", async () => {
    const {
      storage,
      pool,
      other,
      waitForWaiting: waiting,
    } = await openFaulty({ max: 2 }, "statement_timeout=120000");
    await storage.transaction("acme", (tx) => addTag(tx, "vip"));
    await other.query("begin; lock table loyalty_user_tags in access exclusive mode");
    const leaving = new AbortController();
    const readCall = storage.snapshot("acme", (reader) => reader.listTags(), { signal: leaving.signal });
    const expectation = expect(readCall).rejects.toBe(abortError);
    await waiting(1);
    leaving.abort(abortError);
    await expectation;
    // The statement was canceled: the lock is still held, and the statement could run for two minutes.
    await waiting(0);
    expect(pool.totalCount).toBe(2);
    await other.query("rollback");
    for (let time = 0; time < 20; time += 1) expect(await listSlugs(storage)).toEqual(["vip"]);
    expect(pool.totalCount).toBe(2);
  });

  it("doesn't begin if it waits for a connection, and ends by its timeout if the pool has no other connection", async () => {
    const {
      storage,
      other,
      waitForWaiting: waiting,
    } = await openFaulty({ max: 1 }, "statement_timeout=1500");
    await storage.transaction("acme", (tx) => addTag(tx, "vip"));
    await other.query("begin; lock table loyalty_user_tags in access exclusive mode");
    const leaving = new AbortController();
    const reads = [1, 2].map(() =>
      storage.snapshot("acme", (reader) => reader.listTags(), { signal: leaving.signal }),
    );
    const expectation = Promise.all(reads.map((readCall) => expect(readCall).rejects.toBe(abortError)));
    await waiting(1);
    leaving.abort(abortError);
    await expectation;
    await other.query("rollback");
    expect(await listSlugs(storage)).toEqual(["vip"]);
  });
});
