import { sqliteStorage } from "loyalty-kit/sqlite";
import { describe, expect, it } from "vitest";
import { everyAdapter } from "../kit/every-adapter.js";
import { countStoredSteps, storedSeeds } from "../properties/runs.js";
import { createTemporaryFile } from "../sqlite/temporary-file.js";
import { simulate } from "./simulation.js";

describe.each(everyAdapter)("saved segments of two services on $name", ({ name, open }) => {
  it.each(storedSeeds(2, name))(
    "have the members of an oracle, and emit the same moves, in simulation %i",
    async (seed) => {
      const storage = await open();
      const moves = await simulate([storage, storage], seed, name === "postgres" ? countStoredSteps(40) : 70);
      expect(moves).toBeGreaterThan(0);
    },
  );
});

describe("saved segments of two processes on one file", () => {
  it("have the members of an oracle, and emit the same moves", async () => {
    const file = createTemporaryFile();
    const open = () => sqliteStorage(file, { synchronous: "NORMAL" });
    expect(await simulate([await open(), await open()], 11, 70)).toBeGreaterThan(0);
  });
});
