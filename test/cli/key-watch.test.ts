import type { StorageAdapter } from "loyalty-kit";
import { postgresStorage } from "loyalty-kit/postgres";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { KeyWatch } from "../../adapters/apps/cli/server/key-watch.js";
import { getSqlAccess } from "../../adapters/storage/kysely/copying/sql-access.js";
import { registerServer } from "../../adapters/storage/kysely/servers.js";
import { isInThisRun } from "../kit/this-run.js";
import { createPlace } from "../postgres/place.js";
import { createTemporaryFile } from "../sqlite/temporary-file.js";

const databases = [
  { name: "SQLite", open: () => sqliteStorage(createTemporaryFile(), { synchronous: "NORMAL" }) },
  {
    name: "Postgres",
    async open() {
      const database = await createPlace();
      const storage = await postgresStorage(database.url);
      const close = storage.close.bind(storage);
      return Object.assign(storage, { close: () => close().then(database.remove) });
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

  function createWatch(id: string, key: string | undefined) {
    const lines: string[] = [];
    const watch = new KeyWatch(storage, key, (line) => lines.push(line), { id, now: () => now });
    return { lines, checkWatch: () => watch.check(), close: () => watch.close() };
  }

  const registerProbe = () =>
    registerServer(getSqlAccess(storage), { id: "probe:1", keyPrint: "", seenAt: 0 }, 1);

  it.each([
    { what: "two keys", keys: [first, second], tells: "with a different LOYALTY_OAUTH_KEY, " },
    {
      what: "no key",
      keys: [undefined, undefined],
      tells: "with a LOYALTY_OAUTH_KEY that this process doesn't have, ",
    },
  ])("are warned of each other once if they have $what, whichever started first", async ({ keys, tells }) => {
    const [watch, otherWatch] = [createWatch("web-1:7", keys[0]), createWatch("web-2:7", keys[1])];
    for (let looks = 0; looks < 3; looks += 1) {
      await watch.checkWatch();
      await otherWatch.checkWatch();
    }
    expect(watch.lines).toEqual([expect.stringContaining(`process web-2:7 uses the same database ${tells}`)]);
    expect(otherWatch.lines).toEqual([
      expect.stringContaining(`process web-1:7 uses the same database ${tells}`),
    ]);
  });

  it("get no warning if they share one key", async () => {
    const all = ["web-1:7", "web-2:7", "web-2:8"].map((id) => createWatch(id, first));
    for (let looks = 0; looks < 2; looks += 1) for (const each of all) await each.checkWatch();
    expect(all.flatMap(({ lines }) => lines)).toEqual([]);
  });

  it("cause no warning once they have ended, or have been silent for minutes", async () => {
    const [closedWatch, silent] = [createWatch("web-1:7", first), createWatch("web-2:7", first)];
    await closedWatch.checkWatch();
    await silent.checkWatch();
    await closedWatch.close();
    now += 181_000;
    const later = createWatch("web-3:7", second);
    await later.checkWatch();
    expect(later.lines).toEqual([]);
    expect((await registerProbe()).map(({ id }) => id)).toEqual(["web-3:7"]);
  });

  it("are told apart even if their containers share a name, and a restarted one is no conflict", async () => {
    await createWatch("web:1", first).checkWatch();
    const [watch, otherWatch] = [createWatch("web:1", second), createWatch("web:1", first)];
    await watch.checkWatch();
    expect(watch.lines).toEqual([]);
    await otherWatch.checkWatch();
    await watch.checkWatch();
    expect(watch.lines).toHaveLength(1);
  });

  it("store only a short print of the key, which doesn't reveal it", async () => {
    await createWatch("web-1:7", first).checkWatch();
    const [{ keyPrint } = { keyPrint: "" }] = await registerProbe();
    expect(keyPrint).toMatch(/^[0-9a-f]{8}$/);
  });
});
