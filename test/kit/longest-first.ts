import { existsSync } from "node:fs";
import { join } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const tests = join(import.meta.dirname, "..");

/**
 * The test files that take longest, the longest first. They are small, so sorting by size, which is all that is known
 * on a machine where they haven't run yet, would leave each of them to run last without others beside it.
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
  "project/lost-steps.long",
  "wallets/google/crash.long",
].map((name) => join(tests, `${name}.test.ts`));

for (const path of longest)
  if (!existsSync(path)) throw new Error(`there is no test file ${path} to begin with`);

/** Orders test files so that no long one runs last while the other workers are idle. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    // A worker with shared modules ends when the next file belongs to another project.
    const isolated = sorted.filter(({ project }) => project.config.isolate);
    const shared = sorted.filter(({ project }) => !project.config.isolate);
    return [...sortLongestFirst(isolated), ...sortLongestFirst(shared)];
  }
}

function sortLongestFirst(files: readonly TestSpecification[]): TestSpecification[] {
  const long = longest.flatMap((path) => files.filter(({ moduleId }) => moduleId === path));
  return [...long, ...files.filter((file) => !long.includes(file))];
}
