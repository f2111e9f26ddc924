/*
 * Bundles a host, a page and a worker with esbuild, each into one file of OUTPUT (bundles).
 *
 *   npx tsx examples/bundle/build.ts && node bundles/server.mjs
 */
import { build } from "esbuild";

const { OUTPUT = "bundles" } = process.env;
const sourcePaths = (name: string) => [new URL(name, import.meta.url).pathname];
const common = { bundle: true, format: "esm", target: "es2022", logLevel: "info" } as const;

// The drivers stay outside: one is a native module, and the other looks for one. The banner is for packages of CommonJS.
await build({
  ...common,
  entryPoints: sourcePaths("server.ts"),
  outfile: `${OUTPUT}/server.mjs`,
  platform: "node",
  external: ["better-sqlite3", "pg"],
  banner: { js: 'import { createRequire } from "module"; const require = createRequire(import.meta.url);' },
});

// Nothing stays outside of a page.
await build({
  ...common,
  entryPoints: sourcePaths("page.ts"),
  outfile: `${OUTPUT}/page.js`,
  platform: "browser",
  minify: true,
});

// Of a worker, what its platform has.
await build({
  ...common,
  entryPoints: sourcePaths("worker.ts"),
  outfile: `${OUTPUT}/worker.js`,
  platform: "neutral",
  external: ["node:*"],
});
