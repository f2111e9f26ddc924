import { defineConfig } from "tsup";
import manifest from "./package.json" with { type: "json" };
import { recordBundled } from "./packaging/bundling.js";
import { entryPoints } from "./packaging/entry-points.js";
import { nodeModules } from "./packaging/node-modules.js";
import { keepOwnReadable } from "./packaging/readable-code.js";
import { usedParts } from "./packaging/used-parts.js";

/** Others' packages that are installed; the rest is bundled. */
const installed = [...Object.keys(manifest.dependencies), ...Object.keys(manifest.peerDependencies)];

export default defineConfig({
  entry: {
    ...entryPoints,
    cli: "adapters/apps/cli/main.ts",
  },
  format: "esm",
  target: "node20.19",
  // Workers know Node's modules by `node:` alone.
  removeNodeProtocol: false,
  // One copy of every class: an error thrown behind one entry point is an instance behind another.
  splitting: true,
  sourcemap: true,
  esbuildPlugins: [nodeModules, usedParts, recordBundled(installed)],
  esbuildOptions(options) {
    options.sourcesContent = false;
  },
  clean: true,
  onSuccess: () => keepOwnReadable("dist"),
});
