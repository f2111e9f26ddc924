import { isBuiltin } from "node:module";
import type { Plugin } from "esbuild";
import { addBundled } from "./bundled-packages.js";

/** What was bundled from a package, as the path of an input tells. */
const inPackage = /^(?:.*:)?(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;

/**
 * Records the bundled packages.
 * @param installed the packages that files may import, because hosts install them with ours or are asked to.
 * @throws an Error, which ends the build, for an import of any other package.
 */
export function notingBundled(installed: readonly string[]): Plugin {
  return {
    name: "noting-bundled",
    setup(build) {
      build.initialOptions.metafile = true;
      build.onEnd(async ({ metafile }) => {
        if (metafile === undefined) return;
        const outputs = Object.values(metafile.outputs);
        for (const { path, external } of outputs.flatMap(({ imports }) => imports)) {
          if (external === true && !isBuiltin(path) && !installed.includes(packageOf(path))) {
            throw new Error(`${path} is neither bundled nor installed`);
          }
        }
        const used = outputs.flatMap(({ inputs }) =>
          Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
        );
        await addBundled(new Set(used.flatMap((path) => inPackage.exec(path)?.[1] ?? [])));
      });
    },
  };
}

function packageOf(path: string): string {
  const [first = "", second = ""] = path.split("/");
  return first.startsWith("@") ? `${first}/${second}` : first;
}
