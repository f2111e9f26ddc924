import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";
import manifest from "../package.json" with { type: "json" };
import { entryPoints } from "./entry-points.js";
import { nameTypes } from "./named-types.js";

/*
 * Makes the declarations of the entry points from the declarations that tsc has written for each file. It drops everything that no
 * entry point exports, and adds the types of bundled packages.
 */

/** tsc writes here; the report of the public interface is made from it too. */
const folder = ".types";

const installed = [...Object.keys(manifest.dependencies), ...Object.keys(manifest.peerDependencies)];
const isInstalled = (path: string) => installed.some((name) => path === name || path.startsWith(`${name}/`));

await nameTypes(folder);
describeSharedColumns();

/** Gives the columns that several records spread their comments back, which tsc drops where it writes such a record out. */
function describeSharedColumns(): void {
  const files = readdirSync(`${folder}/src/storage`).map((name) => `${folder}/src/storage/${name}`);
  const texts = files.map((file) => [file, readFileSync(file, "utf8")] as const);
  const comments = new Map<string, string>();
  for (const [, text] of texts)
    for (const [, columns = ""] of text.matchAll(/^export declare const \w+Columns: \{$(.*?)^\};$/gms))
      for (const [, comment = "", name = ""] of columns.matchAll(
        /(\/\*\*(?:(?!\*\/).)*\*\/)\s+(?:readonly )?(\w+):/gs,
      ))
        comments.set(name, comment);
  for (const [file, text] of texts) {
    const described = text.replace(
      /(?<!\*\/\s*)^( +)(?:readonly )?(\w+): (?:import\("[^"]+"\)\.)?Column</gm,
      (line, indent: string, name: string) => {
        const comment = comments.get(name);
        return comment === undefined ? line : `${indent}${comment}\n${line}`;
      },
    );
    if (described !== text) writeFileSync(file, described);
  }
}

/** Leaves out what bundled packages declare for the whole program, which is the host's. */
function removeGlobals(code: string): string {
  return code.replace(/^declare global \{\n(?:[ \t].*\n)*\}$/gm, "export {};");
}

/** The names that an entry point has while a program runs. The rest of what it exports are types. */
const values: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  await Promise.all(
    Object.keys(entryPoints).map(async (name) => {
      const entry: object = await import(new URL(`../dist/${name}.js`, import.meta.url).href);
      return [`${name}.d.ts`, new Set(Object.keys(entry))] as const;
    }),
  ),
);

/** The bundler exports types as if they were values, which would compile and then be missing. */
function markTypeExports(code: string, { fileName }: { readonly fileName: string }): string {
  const names = values.get(fileName);
  if (names === undefined) return code;
  return code.replace(/^export \{([^}]*)\}/gm, (_, list: string) => {
    const exported = list.split(",").map((each) => each.trim());
    const marked = exported.map((each) => {
      const [, name = each] = / as (\w+)$/.exec(each) ?? [];
      return names.has(name) || each.startsWith("type ") ? each : `type ${each}`;
    });
    return `export { ${marked.join(", ")} }`;
  });
}

const bundle = await rollup({
  input: Object.fromEntries(
    Object.entries(entryPoints).map(([name, source]) => [
      name,
      `${folder}/${source.replace(/\.ts$/, ".d.ts")}`,
    ]),
  ),
  external: (path) => isBuiltin(path) || isInstalled(path),
  plugins: [
    dts({ respectExternal: true }),
    { name: "no-globals", renderChunk: removeGlobals },
    { name: "types-as-types", renderChunk: (code, chunk) => markTypeExports(code, chunk) },
  ],
  onwarn(warning) {
    // Entry points share types that none of them gives a name to.
    if (warning.pluginCode !== undefined || warning.code !== "PLUGIN_WARNING")
      throw new Error(warning.message);
  },
});
await bundle.write({
  dir: "dist",
  format: "es",
  entryFileNames: "[name].d.ts",
  chunkFileNames: "types-[hash].d.ts",
});
await bundle.close();
