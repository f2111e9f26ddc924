import { defineConfig } from "tsup";
import { notingBundled } from "./packaging/bundling.js";

/** What the console is in the browser: one file for what every screen needs, and one for each screen. */
export default defineConfig({
  entry: {
    main: "adapters/console/browser/main.tsx",
    reference: "adapters/console/browser/reference/main.tsx",
    "till-worker": "adapters/console/till-worker/worker.ts",
  },
  outDir: "dist/console",
  tsconfig: "adapters/console/browser/tsconfig.json",
  platform: "browser",
  format: "esm",
  target: "es2022",
  splitting: true,
  minify: true,
  clean: true,
  // The package has no need of them at run time: they are in the files.
  noExternal: [/.*/],
  esbuildPlugins: [notingBundled([])],
  esbuildOptions(options) {
    options.entryNames = "[name]-[hash]";
    options.chunkNames = "[name]-[hash]";
    options.legalComments = "inline";
  },
});
