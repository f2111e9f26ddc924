import { memoryStorage } from "loyalty-kit/memory";
import { postgresStorage } from "loyalty-kit/postgres";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { describe, it, onTestFinished } from "vitest";
import { createPlace } from "../postgres/place.js";
import { listSeeds } from "../properties/runs.js";
import { createTemporaryFile } from "../sqlite/temporary-file.js";
import { simulate } from "./simulation.js";

const STEPS = 120;

describe("saved segments of two services, in long runs", () => {
  it.each(listSeeds(40, "memory"))(
    "move as an oracle predicts in memory, in simulation SIMULATION_SEED=%i",
    async (seed) => {
      const storage = memoryStorage();
      await simulate([storage, storage], seed, STEPS);
    },
  );

  it.each(listSeeds(30, "sqlite"))(
    "move as an oracle predicts on one file, in simulation SIMULATION_SEED=%i",
    async (seed) => {
      const file = createTemporaryFile();
      const open = () => sqliteStorage(file, { synchronous: "NORMAL" });
      await simulate([await open(), await open()], seed, STEPS);
    },
  );

  it.each(listSeeds(40, "postgres"))(
    "move as an oracle predicts on Postgres, in simulation SIMULATION_SEED=%i",
    async (seed) => {
      const place = await createPlace();
      onTestFinished(() => place.remove());
      const open = () => postgresStorage(place.url);
      await simulate([await open(), await open()], seed, STEPS);
    },
  );
});
