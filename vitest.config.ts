import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import type { ProvidedContext } from "vitest";
import { defineConfig, type ViteUserConfig } from "vitest/config";
import { entryPoints } from "./packaging/entry-points.js";
import { LongestFirst } from "./test/kit/longest-first.js";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** They have a command of their own. */
export const longTests = "test/**/*.long.test.ts";

/** They have one too, since they need programs on the machine: Chromium and a Redis server. */
export const serviceTests = "test/**/*.services.test.ts";

/** So have they: they start programs, which take most of the time to begin. */
export const programTests = "test/**/*.programs.test.ts";

/** They need a Postgres server, on which a test takes many times as long. */
export const postgresTests = ["test/postgres/**/*.test.ts", "test/**/*.postgres.test.ts"];

/**
 * They replace modules, or the time by which costly reads take turns, which others that share their modules would feel; or they
 * read what stands in the whole process, in which others leave something open.
 */
export const separateTests = [
  "test/sqlite/large-*.test.ts",
  "test/sqlite/missing-threads.test.ts",
  "test/concurrency/event-loop.test.ts",
  "test/console/german-sentences.test.ts",
  "test/http/two-copies.test.ts",
  "test/http/unit/searches-and-connections.test.ts",
  "test/metrics/metrics.test.ts",
  "test/tenant/costly-reads.test.ts",
  "test/wallets/rasterizing/*.test.ts",
];

/** What holds for each test file. */
const ofFiles = {
  resolve: {
    alias: [
      { find: /^loyalty-kit$/, replacement: at(entryPoints.index) },
      ...Object.entries(entryPoints).map(([name, file]) => ({
        find: new RegExp(`^loyalty-kit/${name}$`),
        replacement: at(file),
      })),
    ],
  },
  test: {
    setupFiles: ["test/kit/setup.ts"],
    // For what hangs. A busy machine takes ten times as long for the rest.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // The default is a second, in which such a machine may give a test no turn.
    expect: { poll: { timeout: 30_000 } },
  },
} satisfies ViteUserConfig;

/** The file that starts a server, once for a run: a project that extended it would start one of its own. */
const postgresServer = "test/postgres/global-setup.ts";

/** What holds for a run of tests. */
const ofRun = {
  // The default leaves one core idle: on two cores that is half of the machine.
  maxWorkers: "100%",
  sequence: { sequencer: LongestFirst },
} satisfies ViteUserConfig["test"];

/** For all tests. */
export const settings = {
  ...ofFiles,
  test: {
    ...ofFiles.test,
    ...ofRun,
    globalSetup: [postgresServer],
    provide: { storedShare: 1, runsOn: "all" },
  },
} satisfies ViteUserConfig;

/** Which test files a run has, and which databases. */
interface Run {
  readonly files: readonly string[];
  readonly leftOut: readonly string[];
  /** Those among them that share no modules with others. */
  readonly separate: readonly string[];
  readonly runsOn: ProvidedContext["runsOn"];
  /** Of the cases that fill a storage, the run tries one in this many. */
  readonly storedShare: number;
  /** After how many milliseconds a test that hangs is ended. */
  readonly timeout?: number;
}

/** A run whose test files share the modules of a worker. Loading the same ones for each file took a quarter of the time. */
export function createRun({ files, leftOut, separate, runsOn, storedShare, timeout }: Run): ViteUserConfig {
  const limits = timeout === undefined ? {} : { testTimeout: timeout, hookTimeout: timeout };
  const test = { ...ofFiles.test, ...limits };
  return {
    test: {
      ...ofRun,
      // Some tests wait for a timeout: one worker more has something to do meanwhile.
      maxWorkers: availableParallelism() + 1,
      globalSetup: runsOn === "memory and SQLite" ? [] : [postgresServer],
      provide: { storedShare, runsOn },
      projects: [
        {
          ...ofFiles,
          test: {
            ...test,
            name: "shared",
            include: [...files],
            exclude: [...separate, ...leftOut],
            isolate: false,
          },
        },
        { ...ofFiles, test: { ...test, name: "separate", include: [...separate], exclude: [...leftOut] } },
      ],
    },
  };
}

/** What the short runs leave out. */
export const longerTests = [longTests, serviceTests, programTests];

export default defineConfig(
  createRun({
    files: ["test/**/*.test.ts"],
    leftOut: [...longerTests, ...postgresTests],
    separate: separateTests,
    runsOn: "memory and SQLite",
    // It takes long to fill a storage again for each case.
    storedShare: 5,
  }),
);
