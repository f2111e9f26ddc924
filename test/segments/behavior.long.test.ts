import { postgresStorage } from "loyalty-kit/postgres";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { describe, it, onTestFinished } from "vitest";
import { everyAdapter } from "../kit/every-adapter.js";
import { createPlace } from "../postgres/place.js";
import { listSeeds } from "../properties/runs.js";
import { createTemporaryFile } from "../sqlite/temporary-file.js";
import { expectBehaviorAsOracle } from "./behavior.js";

const CHANGES = 150;

describe.each(everyAdapter)("segments by behavior on $name, in long runs", ({ name, open }) => {
  it.each(listSeeds(60, name))(
    "have the members that plain loops find, in history SIMULATION_SEED=%i",
    async (seed) => {
      await expectBehaviorAsOracle([await open()], seed, CHANGES);
    },
  );
});

describe("segments by behavior in two processes, in long runs", () => {
  it.each(listSeeds(60, "sqlite"))(
    "have the members that plain loops find on one file, in history SIMULATION_SEED=%i",
    async (seed) => {
      const file = createTemporaryFile();
      const open = () => sqliteStorage(file, { synchronous: "NORMAL" });
      await expectBehaviorAsOracle([await open(), await open()], seed, CHANGES);
    },
  );

  it.each(listSeeds(20, "postgres"))(
    "have the members that plain loops find on Postgres, in history SIMULATION_SEED=%i",
    async (seed) => {
      const place = await createPlace();
      onTestFinished(() => place.remove());
      const open = () => postgresStorage(place.url);
      await expectBehaviorAsOracle([await open(), await open()], seed, CHANGES);
    },
  );
});
