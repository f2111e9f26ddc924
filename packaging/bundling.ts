import { isBuiltin } from "node:module";
import type { Plugin } from "esbuild";
import { addBundled } from "./bundled-packages.js";

/** Matches inputs that come from a package. The first group is the package's folder. */
const inPackage = /^(?:.*:)?(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;

/**
 * Creates an esbuild plugin that lists the bundled packages and collects their licenses.
 * @param installed the packages that built files are allowed to import, because hosts install them as dependencies or peer
 *   dependencies.
 * @throws {Error} if a built file imports any other package, which makes the build fail.
 */
export function recordBundled(installed: readonly string[]): Plugin {
  return {
    name: "noting-bundled",
    setup(build) {
      build.initialOptions.metafile = true;
      build.onEnd(async ({ metafile }) => {
        if (metafile === undefined) return;
        const outputs = Object.values(metafile.outputs);
        for (const { path, external } of outputs.flatMap(({ imports }) => imports)) {
          if (external === true && !isBuiltin(path) && !installed.includes(getPackage(path))) {
            throw new Error(`${path} is neither bundled nor installed`);
          }
        }
        const used = outputs.flatMap(({ inputs }) =>
          Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
        );
        await addBundled(findPackageFolders(used));
      });
    },
  };
}

/** Returns the folders of the packages that the given source files belong to. */
export function findPackageFolders(paths: readonly string[]): ReadonlySet<string> {
  return new Set(paths.flatMap((path) => inPackage.exec(path)?.[1] ?? []));
}

function getPackage(path: string): string {
  const [first = "", second = ""] = path.split("/");
  return first.startsWith("@") ? `${first}/${second}` : first;
}
