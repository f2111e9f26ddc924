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

/** The folder that tsc writes declarations to. The report of the public interface is generated from it too. */
const folder = ".types";

const installed = [...Object.keys(manifest.dependencies), ...Object.keys(manifest.peerDependencies)];
const isInstalled = (path: string) => installed.some((name) => path === name || path.startsWith(`${name}/`));

await nameTypes(folder);
describeSharedColumns();

/** Restores the comments of columns that several records share, because tsc drops the comments of properties that are spread. */
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

/** Removes the global declarations of bundled packages, because globals are up to the host. */
function removeGlobals(code: string): string {
  return code.replace(/^declare global \{\n(?:[ \t].*\n)*\}$/gm, "export {};");
}

/** The values that each entry point exports at runtime. All its other exports are types. */
const values: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  await Promise.all(
    Object.keys(entryPoints).map(async (name) => {
      const entry: object = await import(new URL(`../dist/${name}.js`, import.meta.url).href);
      return [`${name}.d.ts`, new Set(Object.keys(entry))] as const;
    }),
  ),
);

/** Marks exported types as types. The bundler exports them like values, so code that uses one would compile and fail at runtime. */
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
    // The plugin warns about types that several entry points share without exporting them, which is fine.
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
