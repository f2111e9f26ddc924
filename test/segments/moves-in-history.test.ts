import { describe, expect, it } from "vitest";
import { everyAdapter } from "../kit/every-adapter.js";
import { sharedDatabases } from "../kit/shared-databases.js";
import { countStoredSteps, storedSeeds } from "../properties/runs.js";
import { expectMovesInHistory } from "./moves-in-history.js";

const CHANGES = 80;

describe.each(everyAdapter)("entering and leaving on $name", ({ name, open }) => {
  const changes = name === "postgres" ? countStoredSteps(CHANGES) : CHANGES;

  it.each(storedSeeds(3, name))(
    "alternate and end with the actual members, whenever segments are refreshed, in history %i",
    async (seed) => {
      let moves = 0;
      for (const lateness of ["always", "now and then", "at the end"] as const) {
        const storage = await open();
        moves += await expectMovesInHistory([storage, storage], seed, changes, lateness);
      }
      expect(moves).toBeGreaterThan(10);
    },
  );
});

describe.each(Object.entries(sharedDatabases))(
  "entering and leaving in two processes on %s",
  (name, place) => {
    it("alternate and end with the actual members", async () => {
      const open = await place();
      const changes = name === "Postgres" ? countStoredSteps(CHANGES) : CHANGES;
      const moves = await expectMovesInHistory([await open(), await open()], 21, changes, "now and then");
      expect(moves).toBeGreaterThan(5);
    });
  },
);
