import { sqliteStorage } from "loyalty-kit/sqlite";
import { describe, it } from "vitest";
import { everyAdapter } from "../kit/every-adapter.js";
import { createTemporaryFile } from "../sqlite/temporary-file.js";
import { expectBehaviorAsOracle } from "./behavior.js";

const CHANGES = 80;

describe.each(everyAdapter)("segments by behavior on $name", ({ name, open }) => {
  it.each(name === "postgres" ? [1] : [1, 2])(
    "have the members that plain loops over plain objects find, in history %i",
    async (seed) => {
      await expectBehaviorAsOracle([await open()], seed, CHANGES);
    },
  );
});

describe("segments by behavior in two processes on one file", () => {
  it("have the members that plain loops find, regardless of the process that makes a change", async () => {
    const file = createTemporaryFile();
    const open = () => sqliteStorage(file, { synchronous: "NORMAL" });
    await expectBehaviorAsOracle([await open(), await open()], 11, CHANGES);
  });
});
