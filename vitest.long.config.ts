import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { defineConfig } from "vitest/config";
import { createRun, longTests } from "./vitest.config.js";

/** They replace modules or timers, which others that share their modules would feel. */
const separate = [
  "test/cli/unmigrated.long.test.ts",
  "test/sqlite/*.long.test.ts",
  "test/wallets/hero-pictures.long.test.ts",
];

/** Of the cases of these `npm test` tries a fifth, and `npm run test:postgres` on Postgres. */
const withStoredCases = readdirSync(join(import.meta.dirname, "test"), { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".test.ts"))
  .map((path) => `test/${path.split(sep).join("/")}`)
  .filter((path) =>
    /\bstored(Runs|Seeds|Steps)\(/.test(readFileSync(join(import.meta.dirname, path), "utf8")),
  );

/** A run of a fifth of all cases, or fewer, would only repeat those. */
const { LOYALTY_PROPERTY_SHARE: share = "1" } = process.env;
const addsCases = Number(share) < 5;

/** The tests that take long, and so does what some of them prepare. */
export default defineConfig(
  createRun({
    files: [longTests, ...(addsCases ? withStoredCases : [])],
    leftOut: [],
    separate,
    runsOn: "all",
    storedShare: 1,
    timeout: 900_000,
  }),
);
