import { existsSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** Each package manager's commands to add a package and to allow its install script. */
const managers = {
  npm: { add: "npm install", build: (name: string) => `npm rebuild ${name}` },
  pnpm: {
    add: "pnpm add",
    build: (name: string) => `pnpm approve-builds, choose ${name}, and pnpm rebuild ${name}`,
  },
  yarn: {
    add: "yarn add",
    build: (name: string) =>
      `set "dependenciesMeta": { "${name}": { "built": true } } in package.json, and run yarn install`,
  },
  bun: { add: "bun add", build: (name: string) => `bun pm trust ${name}` },
} as const;

type Manager = keyof typeof managers;

const lockfiles: readonly (readonly [file: string, manager: Manager])[] = [
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
  ["package-lock.json", "npm"],
];

/**
 * Returns the command for installing a package where this package can find it. The caller appends the package's name.
 * @param file a file in this package.
 */
export function installCommand(file = findOwnFile()): string {
  const manager = detectManager(file);
  return manager === "npm" && isGlobal(file) ? "npm install --global" : managers[manager].add;
}

/**
 * Returns instructions for running a package's install script after the package manager has skipped it. The instructions consist of
 * a single command or, for some package managers, several steps.
 */
export function buildCommand(name: string, file = findOwnFile()): string {
  return managers[detectManager(file)].build(name);
}

/** Detects the package manager that installed a file, by its folders or by the nearest lockfile above it. */
function detectManager(file: string): Manager {
  if (process.versions.pnp !== undefined || file.includes(`${sep}.yarn${sep}`)) return "yarn";
  for (const manager of ["pnpm", "bun"] as const) {
    if (file.includes(`${sep}node_modules${sep}.${manager}${sep}`)) return manager;
  }
  for (const folder of listParentFolders(file)) {
    const [, manager] = lockfiles.find(([name]) => existsSync(join(folder, name))) ?? [];
    if (manager !== undefined) return manager;
  }
  return "npm";
}

/** Returns whether the file is in a global `node_modules`, such as npm's: the folder around it has no manifest. */
function isGlobal(file: string): boolean {
  const modules = listParentFolders(file).find((folder) => basename(folder) === "node_modules");
  return modules !== undefined && !existsSync(join(dirname(modules), "package.json"));
}

function listParentFolders(file: string): string[] {
  const folders: string[] = [];
  for (let folder = dirname(file); dirname(folder) !== folder; folder = dirname(folder)) folders.push(folder);
  return folders;
}

/** Returns this file's path; empty if the code was bundled into something that isn't a file. */
function findOwnFile(): string {
  return import.meta.url?.startsWith("file:") ? fileURLToPath(import.meta.url) : "";
}
