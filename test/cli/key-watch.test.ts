import type { StorageAdapter } from "loyalty-kit";
import { postgresStorage } from "loyalty-kit/postgres";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { KeyWatch } from "../../adapters/apps/cli/server/key-watch.js";
import { getSqlAccess } from "../../adapters/storage/kysely/copying/sql-access.js";
import { registerServer } from "../../adapters/storage/kysely/servers.js";
import { isInThisRun } from "../kit/this-run.js";
import { newPlace } from "../postgres/place.js";
import { temporaryFile } from "../sqlite/temporary-file.js";

const databases = [
  { name: "SQLite", open: () => sqliteStorage(temporaryFile(), { synchronous: "NORMAL" }) },
  {
    name: "Postgres",
    async open() {
      const place = await newPlace();
      const storage = await postgresStorage(place.url);
      const close = storage.close.bind(storage);
      return Object.assign(storage, { close: () => close().then(place.remove) });
    },
  },
].filter(({ name }) => isInThisRun(name));

const [first, second] = ["first", "second"].map((name) => name.padEnd(32, "*"));

describe.each(databases)("processes that serve one database on $name", ({ open }) => {
  let storage: StorageAdapter;
  let now = 0;
  beforeEach(async () => {
    storage = await open();
    now = 1_000_000;
    onTestFinished(() => storage.close());
  });

  function served(id: string, key: string | undefined) {
    const lines: string[] = [];
    const watch = new KeyWatch(storage, key, (line) => lines.push(line), { id, now: () => now });
    return { lines, look: () => watch.check(), close: () => watch.close() };
  }

  const noted = () => registerServer(getSqlAccess(storage), { id: "probe:1", keyPrint: "", seenAt: 0 }, 1);

  it.each([
    { what: "two keys", keys: [first, second], tells: "with a different LOYALTY_OAUTH_KEY, " },
    {
      what: "no key",
      keys: [undefined, undefined],
      tells: "with a LOYALTY_OAUTH_KEY that this process doesn't have, ",
    },
  ])("are told of each other with $what, once, whichever came first", async ({ keys, tells }) => {
    const [one, two] = [served("web-1:7", keys[0]), served("web-2:7", keys[1])];
    for (let looks = 0; looks < 3; looks += 1) {
      await one.look();
      await two.look();
    }
    expect(one.lines).toEqual([expect.stringContaining(`process web-2:7 uses the same database ${tells}`)]);
    expect(two.lines).toEqual([expect.stringContaining(`process web-1:7 uses the same database ${tells}`)]);
  });

  it("hear nothing under one key", async () => {
    const all = ["web-1:7", "web-2:7", "web-2:8"].map((id) => served(id, first));
    for (let looks = 0; looks < 2; looks += 1) for (const each of all) await each.look();
    expect(all.flatMap(({ lines }) => lines)).toEqual([]);
  });

  it("that have ended, or were not heard of for minutes, are no others", async () => {
    const [closed, silent] = [served("web-1:7", first), served("web-2:7", first)];
    await closed.look();
    await silent.look();
    await closed.close();
    now += 181_000;
    const later = served("web-3:7", second);
    await later.look();
    expect(later.lines).toEqual([]);
    expect((await noted()).map(({ id }) => id)).toEqual(["web-3:7"]);
  });

  it("are told apart though containers have one name, and one that began anew is not its own other", async () => {
    await served("web:1", first).look();
    const [one, two] = [served("web:1", second), served("web:1", first)];
    await one.look();
    expect(one.lines).toEqual([]);
    await two.look();
    await one.look();
    expect(one.lines).toHaveLength(1);
  });

  it("leave nothing in the database by which a key could be found", async () => {
    await served("web-1:7", first).look();
    const [{ keyPrint } = { keyPrint: "" }] = await noted();
    expect(keyPrint).toMatch(/^[0-9a-f]{8}$/);
  });
});
