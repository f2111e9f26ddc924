import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build, transform } from "esbuild";
import { addBundled } from "./bundled-packages.js";
import { entryPoints } from "./entry-points.js";

/*
 * Writes a copy of the built entry points for hosts that `require` them, as Jest does by default: the code as `.cjs`, with
 * short names and no source maps, and its declarations as `.d.cts`.
 */

const from = "dist";
const to = "dist/cjs";

const entries = Object.keys(entryPoints);

await rm(to, { recursive: true, force: true });
await mkdir(to, { recursive: true });
await Promise.all([
  copyAll(
    entries.map((name) => `${name}.js`),
    writeCode,
  ),
  copyAll(
    entries.map((name) => `${name}.d.ts`),
    writeTypes,
  ),
]);

// jose has only ES modules, which Jest can't require.
await build({
  entryPoints: ["jose"],
  bundle: true,
  platform: "node",
  format: "cjs",
  minify: true,
  outfile: join(to, "jose.cjs"),
});
await addBundled(new Set(["node_modules/jose"]));

/** Copies files together with the files of the same folder that they import. */
async function copyAll(names: readonly string[], write: (name: string, code: string) => Promise<void>) {
  const all = new Set(names);
  for (const name of all) {
    const code = await readFile(join(from, name), "utf8");
    for (const [, imported = ""] of code.matchAll(/(?:\bfrom|\bimport) ?\(?['"]\.\/([^'"]+\.js)['"]/g))
      all.add(name.endsWith(".d.ts") ? imported.replace(/\.js$/, ".d.ts") : imported);
    await write(name, code);
  }
}

async function writeCode(name: string, code: string): Promise<void> {
  const { code: output } = await transform(renameForCommonJs(code), {
    format: "cjs",
    target: "node20.19",
    // The `.mjs` name makes default imports resolve to `module.exports`, as in Node.js.
    sourcefile: name.replace(/\.js$/, ".mjs"),
    // Jest doesn't support `import()`.
    supported: { "dynamic-import": false },
    define: { "import.meta.url": "fileUrl" },
    banner: 'const fileUrl = require("node:url").pathToFileURL(__filename).href;',
    minify: true,
    // Node.js prints the line that threw an uncaught error, so lines have to stay short.
    lineLimit: 160,
    // Keeps the names of functions and classes in stack traces.
    keepNames: true,
  });
  await writeFile(join(to, name.replace(/\.js$/, ".cjs")), output);
}

async function writeTypes(name: string, code: string): Promise<void> {
  await writeFile(join(to, name.replace(/\.d\.ts$/, ".d.cts")), renameForCommonJs(code));
}

function renameForCommonJs(code: string): string {
  return code
    .replaceAll('from "jose"', 'from "./jose.cjs"')
    .replace(/((?:\bfrom|\bimport) ?\(?['"]\.\/[^'"]+)\.js(['"])/g, "$1.cjs$2");
}
