import { copyFileSync, statSync } from "node:fs";
import Database from "better-sqlite3";
import { migrateSqlite, sqliteStorage } from "loyalty-kit/sqlite";
import { describe, expect, it } from "vitest";
import { run } from "../../src/concurrency/step.js";
import { withEventsByKey } from "./events-by-key.js";
import { open } from "./opened.js";
import { Child } from "./processes/child.js";
import { addTag, addUser, addUsers, assign, slugsIn } from "./records.js";
import { temporaryFile } from "./temporary-file.js";
import { asVersion1 } from "./version-1.js";

describe("several processes", () => {
  it("open a new file at once", async () => {
    const file = temporaryFile();
    const children = await Promise.all(Array.from({ length: 4 }, () => Child.start("open", file)));
    for (const child of children) child.go();
    const found = await Promise.all(children.map((child) => child.end()));
    expect(found.map((text) => JSON.parse(text))).toEqual(
      children.map(() => ({ isEmpty: true, isCurrent: true })),
    );
    expect(await run((await open(file)).isEmpty())).toBe(true);
  });

  it("write to one organization at once without losing or repeating anything", async () => {
    const file = temporaryFile();
    const storage = await open(file);
    await storage.transaction((tx) => addTag(tx, "vip"));
    const count = 100;
    const children = await Promise.all([1, 2].map(() => Child.start("write", file, String(count))));
    for (const child of children) child.go();
    let mine = 0;
    const ended = Promise.all(children.map((child) => child.end()));
    let isEnded = false;
    const note = () => {
      isEnded = true;
    };
    ended.then(note, note);
    while (!isEnded) {
      await addUsers(storage, 1);
      mine += 1;
      const { users, tags } = await run(storage.readTagSets("acme", ["vip"]));
      expect(tags.get("vip")?.count()).toBeLessThanOrEqual(users.count());
    }
    await ended;
    const users = await run(storage.listUsers("acme", -1, 1_000_000));
    expect(users.map(({ ordinal }) => ordinal)).toEqual(
      Array.from({ length: 2 * count + mine }, (_, at) => at),
    );
    expect(await run(storage.verifyTagSets("acme"))).toEqual({ checked: 2, wrong: [] });
  });
});

describe("a process that is killed in the middle of a transaction", () => {
  it("leaves nothing of it", async () => {
    const file = temporaryFile();
    const before = await sqliteStorage(file);
    const users = await addUsers(before, 3);
    await before.close();
    const child = await Child.start("die", file);
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(1_000_000);
    child.kill();
    await child.end();
    const storage = await open(file);
    expect(await run(storage.listUsers("acme", -1, 10))).toEqual(users);
    expect(await slugsIn(storage)).toEqual([]);
    expect(await run(storage.verifyTagSets("acme"))).toEqual({ checked: 1, wrong: [] });
    const [next] = await addUsers(storage, 1);
    expect(next?.ordinal).toBe(3);
  });
});

describe("a process that is killed while it migrates", () => {
  it.each([
    ["from the first version", async () => asVersion1(await someFile())],
    ["from events by their key", async () => withEventsByKey(await someEvents())],
  ])("leaves all tables as they were or as they are to be, %s, and the next one goes on", async (_, make) => {
    const old = await make();
    const undisturbed = temporaryFile();
    copyFileSync(old, undisturbed);
    await migrateSqlite(undisturbed);
    const [before, after] = [rowsOf(old), rowsOf(undisturbed)];
    for (const logged of [0, 1_000_000, 8_000_000]) {
      const file = temporaryFile();
      copyFileSync(old, file);
      const child = await Child.start("open", file);
      child.go();
      while ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? -1) < logged) await turn();
      child.kill();
      await child.end();
      // On a busy machine it may have ended before it was killed.
      expect([before, after]).toContainEqual(rowsOf(file));
      await migrateSqlite(file);
      expect(rowsOf(file)).toEqual(after);
    }
  });
});

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A file whose migration writes more than memory holds, so that a part of it is in the log before it is committed. */
async function someFile(): Promise<string> {
  const file = temporaryFile();
  const storage = await sqliteStorage(file);
  await storage.transaction(function* (tx) {
    const tag = yield* addTag(tx, "vip");
    for (let at = 0; at < 5_000; at += 1) {
      const { ordinal } = yield* addUser(tx, { metadata: JSON.stringify({ filler: "x".repeat(5_000) }) });
      yield* assign(tx, ordinal, tag);
    }
  });
  await storage.close();
  return file;
}

/** As {@link someFile}, of events. */
async function someEvents(): Promise<string> {
  const file = temporaryFile();
  const storage = await sqliteStorage(file);
  const told = { type: "user_tag.deleted", createdAt: 1, actor: null, subject: null };
  const data = JSON.stringify({ filler: "x".repeat(5_000) });
  for (const organizationId of ["beta", "acme"]) {
    const events = Array.from({ length: 2_500 }, (_, at) => ({ ...told, id: `evt_${at}`, data }));
    await storage.transaction((tx) => tx.appendEvents(organizationId, events));
  }
  await storage.close();
  return file;
}

/** The number of rows of each table, and the length of all that is in them; not when a migration was. */
function rowsOf(file: string): Record<string, unknown> {
  const db = new Database(file);
  const named = "select name from sqlite_schema where type = 'table' and name like 'loyalty~_%' escape '~'";
  const tables = db.prepare<[], string>(named).pluck().all();
  const rows = tables.map((table) => {
    const columns = db.prepare<[string], string>("select name from pragma_table_info(?)").pluck().all(table);
    const lengths = columns
      .filter((column) => column !== "applied_at")
      .map((column) => `coalesce(length("${column}"), 0)`);
    const sums = `select count(*) as rows, coalesce(sum(${["0", ...lengths].join(" + ")}), 0) as length from ${table}`;
    return [table, db.prepare(sums).get()] as const;
  });
  db.close();
  return Object.fromEntries(rows);
}
