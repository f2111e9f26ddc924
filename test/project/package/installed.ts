import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod";
import { root } from "../imports.js";
import { installOptions, type PackedPackage } from "./packed.js";

const lockSchema = z.object({
  packages: z.record(z.string(), z.looseObject({ hasInstallScript: z.boolean().optional() })),
});

/** A folder in which the package was installed as a user does it, with nothing beside it. */
export interface Installation {
  readonly folder: string;
  /** The installed packages, including ours, as the lockfile names their folders. */
  readonly packages: readonly string[];
  /** The installed packages that run a script on installation. */
  readonly scripted: readonly string[];
}

/** Installs an archive in an empty folder. */
export function install(folder: string, { file }: PackedPackage): Installation {
  writeFileSync(join(folder, "package.json"), '{ "name": "host", "private": true, "type": "module" }');
  execFileSync("npm", ["install", ...installOptions, file], { cwd: folder });
  const { packages } = lockSchema.parse(JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8")));
  const found = Object.entries(packages).filter(([path]) => path !== "");
  const scripted = found.filter(([, { hasInstallScript }]) => hasInstallScript === true);
  return { folder, packages: found.map(([path]) => path), scripted: scripted.map(([path]) => path) };
}

/** Finds packages that run code on the machine of a user who only installs them. */
export function findScriptProblems({ scripted }: Installation): readonly string[] {
  return scripted.map((path) => `${path} runs a script when it is installed`);
}

/** Links packages of this checkout beside the package, as a host has them. */
export function linkModules({ folder }: Installation, names: readonly string[]): void {
  for (const name of names) {
    const place = join(folder, "node_modules", name);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(join(root, "node_modules", name), place, "junction");
  }
}
