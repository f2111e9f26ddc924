import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { buildSync } from "esbuild";

const root = join(import.meta.dirname, "../..");

/** Where a program finds the packages that it imports. */
const folder = join(root, "node_modules/.cache/loyalty-kit");

const programs = new Map<string, string>();

/**
 * Makes one file of a program and of all that it imports, but packages. A process begins in a quarter of the time that it takes
 * from hundreds of files, so it is for tests that start many.
 * @param source the path of the program's source.
 * @returns the path of the file, which Node.js runs as it is.
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
  // Another process may begin from the same file meanwhile.
  const own = `${file}.${process.pid}`;
  writeFileSync(own, outputFiles[0]?.text ?? "");
  renameSync(own, file);
  programs.set(source, file);
  return file;
}
