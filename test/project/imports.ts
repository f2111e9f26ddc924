import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, normalize, relative, sep } from "node:path";
import { build } from "esbuild";
import ts from "typescript";

/** The root folder of the project. */
export const root = join(import.meta.dirname, "../..");

/** One module that a file imports: the project's own modules by path, others by name. */
export interface Import {
  readonly file: string;
  readonly target: string;
}

/** Lists what every file of a folder names in an import, an export or an import type. */
export function findImports(folder: string): Import[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => `${folder}/${file.split(sep).join("/")}`)
    .flatMap(parseImports);
}

/**
 * Lists the project's own files that are loaded with a file: the file and its imports, without types and `import()`.
 */
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
