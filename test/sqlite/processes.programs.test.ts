import { statSync } from "node:fs";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { describe, expect, it } from "vitest";
import { run } from "../../src/concurrency/step.js";
import { open } from "./opened.js";
import { Child } from "./processes/child.js";
import { addTag, addUsers, slugsIn } from "./records.js";
import { temporaryFile } from "./temporary-file.js";

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
      const { users, tags } = await run(storage.readSegments("acme", ["vip"]));
      expect(tags.get("vip")?.count()).toBeLessThanOrEqual(users.count());
    }
    await ended;
    const users = await run(storage.listUsers("acme", -1, 1_000_000));
    expect(users.map(({ ordinal }) => ordinal)).toEqual(
      Array.from({ length: 2 * count + mine }, (_, at) => at),
    );
    expect(await run(storage.verifySegments("acme"))).toEqual({ checked: 2, wrong: [] });
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
    expect(await run(storage.verifySegments("acme"))).toEqual({ checked: 1, wrong: [] });
    const [next] = await addUsers(storage, 1);
    expect(next?.ordinal).toBe(3);
  });
});
