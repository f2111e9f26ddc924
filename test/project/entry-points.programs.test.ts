import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const run = promisify(execFile);
const manifest: {
  exports: Record<string, { import: { types: string; default: string } } | string>;
  dependencies: Record<string, string>;
  peerDependencies: Record<string, string>;
} = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

const entryPoints = Object.entries(manifest.exports).filter(([name]) => name !== "./package.json");

describe("entry points", () => {
  it("number at most sixteen, grouped by what a host does", () => {
    expect(entryPoints.length).toBeLessThanOrEqual(16);
  });

  it.each(entryPoints)("%s has types and code for import and for require", (_, target) => {
    expect(target).toEqual({
      import: {
        types: expect.stringMatching(/^\.\/dist\/.+\.d\.ts$/),
        default: expect.stringMatching(/^\.\/dist\/.+\.js$/),
      },
      require: {
        types: expect.stringMatching(/^\.\/dist\/cjs\/.+\.d\.cts$/),
        default: expect.stringMatching(/^\.\/dist\/cjs\/.+\.cjs$/),
      },
    });
  });

  it.each(entryPoints)(
    "%s has declarations that import no driver and no framework except its own",
    (name, target) => {
      if (typeof target === "string") throw new Error("an entry point has types");
      const own = { "./sqlite": "better-sqlite3" }[name];
      const knownPackages = [...Object.keys(manifest.dependencies), ...(own === undefined ? [] : [own])];
      const imported = [...findPackages(join(root, target.import.types))].filter(
        (each) => !each.startsWith("node:"),
      );
      expect(knownPackages).toEqual(expect.arrayContaining(imported));
      expect(imported).not.toContain("pg");
    },
  );

  it.each(entryPoints)("%s loads without frameworks and drivers", async (name) => {
    const loaded = await load(name, Object.keys(manifest.peerDependencies));
    expect(loaded.stdout).toContain("loaded");
  });

  it("./webhooks loads without its HTTP client, which the first request loads", async () => {
    expect((await load("./webhooks", ["undici"])).stdout).toContain("loaded");
  });
});

/** Lists the packages that the declarations of an entry point import, directly or through other declarations. */
function findPackages(declarations: string, visited = new Set<string>()): Set<string> {
  const found = new Set<string>();
  if (visited.has(declarations)) return found;
  visited.add(declarations);
  for (const { fileName } of ts.preProcessFile(readFileSync(declarations, "utf8")).importedFiles) {
    const [first = "", second = ""] = fileName.split("/");
    if (!fileName.startsWith(".")) found.add(first.startsWith("@") ? `${first}/${second}` : first);
    else {
      const file = join(dirname(declarations), fileName.replace(/\.js$/, ".d.ts"));
      for (const name of findPackages(file, visited)) found.add(name);
    }
  }
  return found;
}

/** Imports an entry point of the built package in a process where these packages can't be found. */
function load(name: string, missing: readonly string[]) {
  const hooks = `export const resolve = (specifier, context, next) => {
    if (${JSON.stringify(missing)}.includes(specifier)) throw new Error("not installed: " + specifier);
    return next(specifier, context);
  };`;
  const program = `
    import { register } from "node:module";
    register("data:text/javascript," + encodeURIComponent(${JSON.stringify(hooks)}));
    await import(${JSON.stringify(name.replace(".", "loyalty-kit"))});
    console.log("loaded");`;
  return run(process.execPath, ["--input-type=module", "--eval", program], { cwd: root });
}
