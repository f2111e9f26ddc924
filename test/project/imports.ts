import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, normalize, relative, sep } from "node:path";
import { build } from "esbuild";
import ts from "typescript";

/** The folder of the project. */
export const root = join(import.meta.dirname, "../..");

/** One module that a file names; the project's own by its path, others by their names. */
export interface Import {
  readonly file: string;
  readonly target: string;
}

/** What every file of a folder names in an import, an export or an import type. */
export function findImports(folder: string): Import[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => `${folder}/${file.split(sep).join("/")}`)
    .flatMap(parseImports);
}

/** The project's own files that are loaded with a file: it and what it imports for more than types, expressions left out. */
export async function listLoadedFiles(entry: string): Promise<readonly string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    metafile: true,
    packages: "external",
    platform: "node",
    format: "esm",
    write: false,
  });
  const loaded = new Set([entry]);
  for (const file of loaded)
    for (const { kind, path, external } of metafile.inputs[file]?.imports ?? [])
      if (kind === "import-statement" && external !== true) loaded.add(path);
  return [...loaded].filter((file) => /\.tsx?$/.test(file));
}

function parseImports(file: string): Import[] {
  const { importedFiles } = ts.preProcessFile(readFileSync(join(root, file), "utf8"));
  return importedFiles.map(({ fileName }) => ({
    file,
    target: fileName.startsWith(".") ? toPath(join(file, "..", fileName)) : fileName,
  }));
}

function toPath(path: string): string {
  const target = relative(root, normalize(join(root, path)))
    .split(sep)
    .join("/");
  const screen = target.replace(/\.js$/, ".tsx");
  return existsSync(join(root, screen)) ? screen : target.replace(/\.js$/, ".ts");
}
