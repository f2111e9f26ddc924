import { defineConfig } from "vitest/config";
import { findImports } from "./test/project/imports.js";
import { createRun, longerTests, postgresTests, separateTests } from "./vitest.config.js";

/** The test files that import this module, also through others. */
function testsWith(module: string): string[] {
  const imports = findImports("test");
  const reached = new Set([module]);
  for (const target of reached) {
    for (const each of imports) if (each.target === target) reached.add(each.file);
  }
  return [...reached].filter((file) => file.endsWith(".test.ts"));
}

const ofDatabases = testsWith("test/kit/this-run.ts");

/** What `npm test` leaves out, since each statement is a round trip to a Postgres server. */
export default defineConfig(
  createRun({
    files: [...ofDatabases, ...postgresTests],
    leftOut: longerTests,
    separate: separateTests.filter((file) => ofDatabases.includes(file)),
    runsOn: "Postgres",
    storedShare: 5,
  }),
);
