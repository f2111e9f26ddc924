import { memoryStorage } from "loyalty-kit/memory";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { describe, expect, it } from "vitest";
import { listSeeds } from "../properties/runs.js";
import { createTemporaryFile } from "../sqlite/temporary-file.js";
import { simulate } from "./simulation/simulation.js";

describe("workers with failures of receivers and the storage", () => {
  it.each(listSeeds(60))("lose no event, in memory: SIMULATION_SEED=%i", async (seed) => {
    const open = async () => memoryStorage();
    expect((await simulate({ seed, changes: 600, days: 2, open })).wrong).toEqual([]);
  });

  it.each(listSeeds(2))("lose none of thousands of events, in memory: SIMULATION_SEED=%i", async (seed) => {
    const open = async () => memoryStorage();
    expect((await simulate({ seed, changes: 5_000, days: 6, open })).wrong).toEqual([]);
  });

  it.each(listSeeds(6))("lose no event, on SQLite: SIMULATION_SEED=%i", async (seed) => {
    const file = createTemporaryFile();
    const open = () => sqliteStorage(file, { synchronous: "NORMAL" });
    expect((await simulate({ seed, changes: 400, days: 2, open })).wrong).toEqual([]);
  });
});
