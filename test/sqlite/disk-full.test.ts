import type Database from "better-sqlite3";
import type { StorageTransaction } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { run, type Step } from "../../src/concurrency/step.js";
import { openWithWriter } from "./opened.js";
import { addTag, addUser, addUsers, assign } from "./records.js";

/** How many users it takes to fill the disk for sure. */
const MANY = 5_000;
/** How many have a transaction do before its commit what it can. */
const LARGE = 600;
/** How much more room there is each time, in pages. */
const STEP = 4;

describe("a full disk", () => {
  it("is told as it is, with everything rolled back, and the storage goes on when there is room again", async () => {
    const { storage, writer } = await openWithWriter();
    const before = await addUsers(storage, 50);
    await storage.transaction(function* (tx) {
      return yield* assign(tx, 7, yield* addTag(tx, "vip"));
    });
    fill(writer);
    await expect(addUsers(storage, MANY)).rejects.toMatchObject({ code: "SQLITE_FULL" });
    expect(await run(storage.listUsers("acme", -1, 100))).toEqual(before);
    expect(await run(storage.verifySegments("acme"))).toEqual({ checked: 2, wrong: [] });
    writer.pragma("max_page_count = 1000000");
    const [next] = await addUsers(storage, 1);
    expect(next?.ordinal).toBe(50);
    expect(await run(storage.verifySegments("acme"))).toEqual({ checked: 2, wrong: [] });
  });

  it("is told so wherever a large transaction meets it, also just before its commit", async () => {
    const { storage, writer } = await openWithWriter();
    const before = await addUsers(storage, 50);
    const pages = Number(writer.pragma("page_count", { simple: true }));
    const refused: unknown[] = [];
    for (let room = 0; refused.length === room / STEP; room += STEP) {
      writer.pragma(`max_page_count = ${pages + room}`);
      await addUsers(storage, LARGE).catch((error: unknown) => refused.push(error));
      if (refused.length > room / STEP) {
        expect(await run(storage.listUsers("acme", -1, 100))).toEqual(before);
      }
    }
    expect(refused.length).toBeGreaterThan(5);
    for (const error of refused) expect(error).toMatchObject({ code: "SQLITE_FULL" });
    expect(await run(storage.listUsers("acme", -1, 1_000))).toHaveLength(50 + LARGE);
  });

  it("lets nothing through of a transaction that does not heed the error", async () => {
    const { storage, writer } = await openWithWriter();
    await addUsers(storage, 50);
    fill(writer);
    await expect(storage.transaction(untilFull)).rejects.toMatchObject({ code: "SQLITE_FULL" });
    expect(await run(storage.listUsers("acme", -1, 100))).toHaveLength(50);
  });

  it("does not keep from reading and deleting", async () => {
    const { storage, writer } = await openWithWriter();
    const users = await addUsers(storage, 50);
    fill(writer);
    await expect(addUsers(storage, MANY)).rejects.toMatchObject({ code: "SQLITE_FULL" });
    expect(await storage.transaction((tx) => tx.deleteUser("acme", users[3]?.id ?? ""))).toBe(true);
    expect(await run(storage.listUsers("acme", -1, 100))).toHaveLength(49);
  });
});

/** Leaves the database no more pages than it has. */
function fill(writer: Database.Database): void {
  writer.pragma(`max_page_count = ${writer.pragma("page_count", { simple: true })}`);
}

function* untilFull(tx: StorageTransaction): Step<void> {
  try {
    for (let added = 0; added < MANY; added += 1) yield* addUser(tx);
  } catch (error) {
    expect(error).toMatchObject({ code: "SQLITE_FULL" });
  }
}
