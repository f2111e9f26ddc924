import { isBuiltin } from "node:module";
import type { Plugin } from "esbuild";

/**
 * Lets bundled CommonJS packages `require` Node.js modules. ES modules have no `require`, so the plugin turns these calls into
 * imports.
 */
export const nodeModules: Plugin = {
  name: "node-modules",
  setup(build) {
    build.onResolve({ filter: /^[a-z0-9:_/]+$/ }, ({ path, kind }) => {
      if (kind !== "require-call" || !isBuiltin(path)) return undefined;
      return { path: path.replace(/^(node:)?/, "node:"), namespace: "required" };
    });
    build.onLoad({ filter: /.*/, namespace: "required" }, ({ path }) => ({
      contents: `module.exports = require("imported:${path}").default;`,
    }));
    build.onResolve({ filter: /^imported:/ }, ({ path }) => ({
      path: path.slice("imported:".length),
      namespace: "imported",
    }));
    build.onLoad({ filter: /.*/, namespace: "imported" }, ({ path }) => ({
      contents: `export { default } from ${JSON.stringify(path)};`,
    }));
  },
};
