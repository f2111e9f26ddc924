import { existsSync, readFileSync } from "node:fs";
import { memoryStorage } from "loyalty-kit/memory";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { describe, expect, it } from "vitest";
import { newStorage } from "../postgres/open-storage.js";
import { listSeeds } from "../properties/runs.js";
import { createTemporaryFile } from "../sqlite/temporary-file.js";
import { simulate } from "./simulation/simulation.js";

describe("mail processes with failures of the mail server and the storage", () => {
  it.each(listSeeds(20))("keep all guarantees for mails, in memory: SIMULATION_SEED=%i", async (seed) => {
    const outcome = await simulate({ seed, storage: memoryStorage(), customers: 20, changes: 400 });
    expect(outcome.wrong).toEqual([]);
  });

  it.each(listSeeds(3))("keep all guarantees for mails, on SQLite: SIMULATION_SEED=%i", async (seed) => {
    const file = createTemporaryFile();
    const storage = await sqliteStorage(file, { synchronous: "NORMAL" });
    const { wrong, erased } = await simulate({ seed, storage, customers: 20, changes: 300 });
    expect(wrong).toEqual([]);
    await storage.purge();
    await storage.close();
    const files = [file, `${file}-wal`].filter(existsSync);
    const content = files.map((name) => readFileSync(name, "latin1")).join("");
    expect(erased.length).toBeGreaterThan(0);
    expect(erased.filter((address) => content.includes(address))).toEqual([]);
  });

  it.each(listSeeds(2))("keep all guarantees for mails, on Postgres: SIMULATION_SEED=%i", async (seed) => {
    const storage = await newStorage();
    const { wrong } = await simulate({ seed, storage, customers: 20, changes: 150 });
    expect(wrong).toEqual([]);
    await storage.close();
  });
});
