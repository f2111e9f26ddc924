import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { describe, it, onTestFinished } from "vitest";
import { everyAdapter } from "../kit/adapters.js";
import { behavesAsOracle } from "./behaviour.js";

const SEEDS = 4;

describe.each(everyAdapter)("segments over behaviour on $name", ({ name, open }) => {
  const seeds = Array.from({ length: name === "postgres" ? 1 : SEEDS }, (_, seed) => seed + 1);

  it.each(seeds)("have those whom plain loops over plain objects find, in history %i", async (seed) => {
    await behavesAsOracle([await open()], seed, 120);
  });
});

describe("segments over behaviour of two processes on one file", () => {
  it.each([11, 12])(
    "have those whom plain loops find, whichever changed them, in history %i",
    async (seed) => {
      const folder = mkdtempSync(join(tmpdir(), "loyalty-kit-"));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      const file = join(folder, "loyalty.db");
      const storages = [];
      for (let at = 0; at < 2; at += 1) storages.push(await sqliteStorage(file, { synchronous: "NORMAL" }));
      await behavesAsOracle(storages, seed, 120);
    },
  );
});
