import { existsSync } from "node:fs";
import { join } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const tests = join(import.meta.dirname, "..");

/**
 * These files take longest, the longest first. They are small, so the order of sizes, which is all that is known on a machine
 * where they did not run yet, would leave each of them alone at the end.
 */
const longest = [
  "storage/suite.postgres",
  "storage/sqlite",
  "storage/memory",
  "checking/check",
  "checking/derived-columns",
  "segments/behavior",
  "webhooks/simulation",
  "console/two-processes",
  "project/snippets.programs",
  "console/every-screen.services",
  "postgres/faults-operations.long",
  "project/forgotten-steps.long",
  "wallets/google/crash.long",
].map((name) => join(tests, `${name}.test.ts`));

for (const path of longest)
  if (!existsSync(path)) throw new Error(`there is no test file ${path} to begin with`);

/** The order of test files that leaves no long one alone at the end, while other workers have nothing to do. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    // A worker whose modules are shared ends when the next file is not of its project.
    const isolated = sorted.filter(({ project }) => project.config.isolate);
    const shared = sorted.filter(({ project }) => !project.config.isolate);
    return [...sortLongestFirst(isolated), ...sortLongestFirst(shared)];
  }
}

function sortLongestFirst(files: readonly TestSpecification[]): TestSpecification[] {
  const long = longest.flatMap((path) => files.filter(({ moduleId }) => moduleId === path));
  return [...long, ...files.filter((file) => !long.includes(file))];
}
