import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { defineConfig } from "vitest/config";
import { longTests, settings } from "./vitest.config.js";

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
export default defineConfig({
  ...settings,
  test: {
    ...settings.test,
    include: [longTests, ...(addsCases ? withStoredCases : [])],
    testTimeout: 900_000,
    hookTimeout: 900_000,
  },
});
