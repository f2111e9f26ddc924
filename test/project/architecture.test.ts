import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { peers } from "../../adapters/setup/peers.js";
import { findImports, type Import, listLoadedFiles, root } from "./imports.js";

/** The layers of the core, from the bottom up. Each imports only itself and the layers below it. */
const layers = ["base", "storage", "schemas", "kernel", "domains", "front"];

/** The other wings that each wing of the adapters may import. */
const wings: Readonly<Record<string, readonly string[]>> = {
  setup: [],
  storage: ["setup"],
  http: [],
  delivery: ["http", "setup"],
  observability: ["http", "setup"],
  testing: ["delivery", "http", "setup", "storage"],
  apps: ["delivery", "http", "observability", "setup", "storage"],
};

/** The only packages that the core loads: no framework, no driver, and none that does I/O. */
const corePackages = [
  "ipaddr.js",
  "mitt",
  "node:assert/strict",
  "node:async_hooks",
  "node:crypto",
  "node:timers",
  "node:zlib",
  "transliteration",
  "uuid",
  "zod",
];

const imports = ["src", "adapters", "examples"].flatMap(findImports);

describe("architecture", () => {
  it("the core imports no adapter, framework, or driver, and does no I/O", () => {
    // The package's version is only in its manifest.
    const isAllowed = ({ target }: Import) =>
      target.startsWith("src/") || target === "package.json" || corePackages.includes(target);
    expect(findViolations("src/", isAllowed)).toEqual([]);
  });

  it("the layers of the core import only the layers below them", () => {
    const isBelow = ({ file, target }: Import) =>
      !target.startsWith("src/") ||
      layers.indexOf(getLayer(target)) <= layers.indexOf(getLayer(file)) ||
      // It contains the names of groups and their types, which every operation definition is checked against.
      target === "src/operation-groups.ts";
    expect(findViolations("src/", isBelow)).toEqual([]);
  });

  it("the domains of the core don't import each other in a cycle", () => {
    const between = imports
      .filter(({ file, target }) => [file, target].every((path) => getLayer(path) === "domains"))
      .map(({ file, target }) => ({ file: getFolder(file), target: getFolder(target) }))
      .filter(({ file, target }) => file !== target);
    expect(between.length).toBeGreaterThan(10);
    expect(findCircle(between)).toEqual([]);
  });

  it("a wing of the adapters imports only the core and the wings below it", () => {
    const isAllowed = ({ file, target }: Import) => {
      const from = getFolder(file);
      return !target.startsWith("adapters/") || [from, ...(wings[from] ?? [])].includes(getFolder(target));
    };
    expect(findViolations("adapters/", isAllowed)).toEqual([]);
    expect(readdirSync(join(root, "adapters")).sort()).toEqual(Object.keys(wings).sort());
  });

  it("a driver or framework is loaded only by the entry point that needs it", () => {
    const owners = new Map(
      Object.entries(peers).map(([name, { neededBy }]) => [name, `/${neededBy.split("/")[1]}/`]),
    );
    const isAllowed = ({ file, target }: Import) => file.includes(owners.get(target) ?? "/");
    expect(findViolations("adapters/", isAllowed)).toEqual([]);
  });

  it("examples import the package only by its name, and adapters import no example, test, or bench", () => {
    expect(findViolations("examples/", ({ target }) => !/^(src|adapters)\//.test(target))).toEqual([]);
    expect(findViolations("adapters/", ({ target }) => !/^(examples|test|bench)\//.test(target))).toEqual([]);
  });

  it.each([
    ["wallets", "delivery/wallets", 120],
    ["mail", "delivery/mail", 80],
    ["webhooks", "delivery/webhooks", 40],
    ["pages", "apps/pages", 90],
    ["console", "apps/console", 230],
    ["http", "http", 180],
  ])("loyalty-kit/%s loads few files, and no use case of the core", async (_, folder, most) => {
    const loaded = await listLoadedFiles(`adapters/${folder}/index.ts`);
    expect(loaded.length).toBeLessThanOrEqual(most);
    // Every use case imports this file.
    expect(loaded).not.toContain("src/kernel/tenant.ts");
  });

  it("no files import each other in a cycle", () => {
    expect(findCircle(imports)).toEqual([]);
  });
});

function findViolations(folder: string, isAllowed: (each: Import) => boolean): string[] {
  const own = imports.filter(({ file }) => file.startsWith(folder));
  expect(own.length).toBeGreaterThan(0);
  return own.filter((each) => !isAllowed(each)).map(({ file, target }) => `${file} → ${target}`);
}

/** Returns the folder of a path below `src` or `adapters`: a layer, a domain, or a wing. */
function getFolder(path: string): string {
  return path.split("/")[1] ?? "";
}

/** Returns the layer of a file of the core. The wire schemas of the domains are a layer of their own. */
function getLayer(path: string): string {
  if (!/^src\/.+\//.test(path)) return "front";
  if (layers.includes(getFolder(path))) return getFolder(path);
  return /[/-]schema\.ts$/.test(path) ? "schemas" : "domains";
}

/** Returns the first cycle of imports, as the files along it, or `[]` if there is none. */
function findCircle(edges: readonly Import[]): string[] {
  const targets = new Map<string, string[]>(edges.map(({ file }) => [file, []]));
  for (const { file, target } of edges) targets.get(file)?.push(target);
  const visited = new Set<string>();
  const search = (file: string, path: readonly string[]): string[] => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (visited.has(file)) return [];
    visited.add(file);
    for (const target of targets.get(file) ?? []) {
      const circle = search(target, [...path, file]);
      if (circle.length > 0) return circle;
    }
    return [];
  };
  return [...targets.keys()].map((file) => search(file, [])).find((circle) => circle.length > 0) ?? [];
}
