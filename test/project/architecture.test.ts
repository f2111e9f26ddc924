import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { peers } from "../../adapters/setup/peers.js";
import { type Import, importsIn, root } from "./imports.js";
import { besides, houses, openToAdapters } from "./rooms.js";

/** Which adapters an adapter may import besides itself and the core. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  memory: [],
  storage: ["kysely"],
  csv: [],
  joining: [],
  kysely: [],
  sqlite: ["kysely", "joining", "setup"],
  postgres: ["kysely", "joining", "setup"],
  http: [],
  client: [],
  auth: ["http"],
  observability: ["http", "setup"],
  console: ["auth", "client", "csv", "http", "mail", "setup", "wallets"],
  pages: ["auth", "http", "wallets"],
  jobs: [],
  setup: [],
  automations: ["jobs"],
  webhooks: ["automations", "jobs"],
  messages: ["jobs"],
  wallets: ["http", "jobs", "messages", "setup"],
  mail: ["http", "jobs", "messages", "pages", "setup"],
  testing: ["memory", "http", "jobs", "mail", "setup", "wallets", "webhooks"],
  cli: [
    "csv",
    "memory",
    "kysely",
    "storage",
    "sqlite",
    "postgres",
    "http",
    "auth",
    "jobs",
    "webhooks",
    "observability",
    "wallets",
    "mail",
    "setup",
    "console",
    "pages",
  ],
};

/** Packages that are a host's choice, and the one adapter that may load each. */
const optional = new Map(
  Object.entries(peers).map(([name, { neededBy }]) => [name, neededBy.split("/")[1] ?? ""]),
);

/** What the core may load: no framework, no driver, no I/O. */
const ofTheCore = [
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

const imports = ["src", "adapters", "examples"].flatMap(importsIn);

describe("architecture", () => {
  it("the core imports no adapter, no framework, no driver and does no I/O", () => {
    expect(
      // The version of the package stands in its manifest alone.
      violations("src", ({ target }) => /^(src\/|package\.json$)/.test(target) || ofTheCore.includes(target)),
    ).toEqual([]);
  });

  it("an adapter imports the core, itself, and only the adapters that stand below it", () => {
    expect(
      violations("adapters", ({ file, target }) => {
        const neighbors = [adapterOf(file), ...(allowed[adapterOf(file)] ?? [])];
        return !target.startsWith("adapters/") || neighbors.includes(adapterOf(target));
      }),
    ).toEqual([]);
  });

  it("an adapter imports of the core what is open to adapters, and all of that is imported", () => {
    const doors = openToAdapters.flatMap(({ modules }) => modules.map((each) => `src/${each}`));
    const isBehind = (door: string, target: string) =>
      door.endsWith("/") ? target.startsWith(door) : target === door;
    expect(
      violations(
        "adapters",
        ({ target }) => !target.startsWith("src/") || doors.some((door) => isBehind(door, target)),
      ),
    ).toEqual([]);
    const used = imports.filter(({ file }) => file.startsWith("adapters/"));
    expect(doors.filter((door) => !used.some(({ target }) => isBehind(door, target)))).toEqual([]);
  });

  it("no adapter imports an example or a test", () => {
    expect(violations("adapters", ({ target }) => !/^(examples|test|bench)\//.test(target))).toEqual([]);
  });

  it("a driver or framework is loaded by its own adapter only", () => {
    expect(
      violations("adapters", ({ file, target }) => {
        const owner = optional.get(target);
        return owner === undefined || owner === adapterOf(file);
      }),
    ).toEqual([]);
  });

  it("examples know the package by its name only", () => {
    expect(violations("examples", ({ target }) => !/^(src|adapters)\//.test(target))).toEqual([]);
  });

  it.each(Object.keys(houses))("in %s, rooms import only what stands below them", (house) => {
    const inside = (path: string) => path.startsWith(`${house}/`);
    const upwards = imports
      .filter(({ file, target }) => inside(file) && inside(target))
      .map(({ file, target }) => ({ file, target, from: placeOf(house, file), to: placeOf(house, target) }))
      .filter(({ from, to }) => from.holds !== undefined && from.room !== to.room && from.floor <= to.floor)
      .map(({ file, target, from, to }) => {
        const above = to.holds === undefined ? "above all rooms" : `in or above ${to.room} (${to.holds})`;
        return `${file} imports ${target}, but ${from.room} is for ${from.holds}: what needs both belongs ${above}`;
      });
    expect(upwards).toEqual([]);
  });

  it.each(Object.keys(houses))("in %s, every folder has its place in the rules", (house) => {
    const folders = readdirSync(join(root, house), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
    expect(folders.filter((name) => placeOf(house, `${house}/${name}/`).holds === undefined)).toEqual([]);
  });

  it("a folder of more than five files is a room, or its index.ts opens with what it is", () => {
    const folders = ["src", "adapters", "test", "bench", "packaging"].flatMap(largeFolders);
    const unexplained = folders.filter((folder) => {
      // Tests are called like the room or the adapter that they are about, which is explained there.
      const places = ["test/", "src/", "adapters/"].map((house) => folder.replace("test/", house));
      return !places.some((place) => Object.hasOwn(besides, place) || isRoom(place) || isExplained(place));
    });
    expect(unexplained).toEqual([]);
    expect(Object.keys(besides).filter((folder) => !folders.includes(folder))).toEqual([]);
  });

  it("no files import each other in a circle", () => {
    expect(circle()).toEqual([]);
  });

  it("every adapter has its place in the rules", () => {
    expect(readdirSync(join(root, "adapters")).sort()).toEqual(Object.keys(allowed).sort());
  });
});

function violations(folder: string, isAllowed: (each: Import) => boolean): string[] {
  const own = imports.filter(({ file }) => file.startsWith(`${folder}/`));
  expect(own.length).toBeGreaterThan(0);
  return own.filter((each) => !isAllowed(each)).map(({ file, target }) => `${file} → ${target}`);
}

function adapterOf(file: string): string {
  return file.split("/")[1] ?? "";
}

/** Where a path lies in a house: the floor of its room, and what that holds. */
function placeOf(house: string, path: string) {
  const [room = ""] = path.slice(house.length + 1).split("/");
  const floors = houses[house] ?? [];
  const floor = floors.findIndex((each) => Object.hasOwn(each, room));
  return { room, floor: floor < 0 ? floors.length : floor, holds: floors[floor]?.[room] };
}

function largeFolders(folder: string): string[] {
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  const below = entries.filter((entry) => entry.isDirectory()).map(({ name }) => `${folder}/${name}`);
  return [...(entries.length - below.length > 5 ? [folder] : []), ...below.flatMap(largeFolders)];
}

function isRoom(folder: string): boolean {
  return placeOf(dirname(folder), folder).holds !== undefined;
}

function isExplained(folder: string): boolean {
  const index = join(root, folder, "index.ts");
  return existsSync(index) && readFileSync(index, "utf8").startsWith("/**");
}

/** The first circle of imports that is met, as the files along it. */
function circle(): string[] {
  const targets = new Map<string, string[]>(imports.map(({ file }) => [file, []]));
  for (const { file, target } of imports) targets.get(file)?.push(target);
  const done = new Set<string>();
  const search = (file: string, path: readonly string[]): string[] => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return [];
    done.add(file);
    for (const target of targets.get(file) ?? []) {
      const found = search(target, [...path, file]);
      if (found.length > 0) return found;
    }
    return [];
  };
  return [...targets.keys()].map((file) => search(file, [])).find((found) => found.length > 0) ?? [];
}
