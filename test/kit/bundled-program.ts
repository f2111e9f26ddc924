import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { buildSync } from "esbuild";

const root = join(import.meta.dirname, "../..");

/** The folder of bundled programs, from which they find the packages that they import. */
const folder = join(root, "node_modules/.cache/loyalty-kit");

const programs = new Map<string, string>();

/**
 * Bundles a program with everything that it imports, except packages, into one file. A process starts from it in a
 * quarter of the time that it takes from hundreds of files, so this is for tests that start many.
 * @param source the path of the program's source.
 * @returns the path of the file, which Node.js runs directly.
 */
export function bundleProgram(source: string): string {
  const existing = programs.get(source);
  if (existing !== undefined) return existing;
  const { outputFiles } = buildSync({
    ...{ entryPoints: [source], bundle: true, write: false, packages: "external" },
    ...{ format: "esm", platform: "node", target: "node20" },
  });
  const file = join(folder, `${relative(root, source).replaceAll(/\W/g, "-")}.mjs`);
  mkdirSync(folder, { recursive: true });
  // Another process may start from the same file at the same time.
  const own = `${file}.${process.pid}`;
  writeFileSync(own, outputFiles[0]?.text ?? "");
  renameSync(own, file);
  programs.set(source, file);
  return file;
}
