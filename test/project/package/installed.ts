import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as z from "zod";
import { root } from "../imports.js";

const packSchema = z.tuple([z.object({ filename: z.string(), entryCount: z.number() })]);
const lockSchema = z.object({ packages: z.record(z.string(), z.unknown()) });

/** A folder in which the package was installed as a stranger does, with nothing beside it. */
export interface Installed {
  readonly folder: string;
  /** The packages that came, ours among them, as the lockfile names their folders. */
  readonly packages: readonly string[];
}

/** Packs what is built, and installs the archive in an empty folder. */
export function install(): Installed {
  const folder = mkdtempSync(join(tmpdir(), "loyalty-kit-package-"));
  const npm = (cwd: string, ...args: readonly string[]) =>
    execFileSync("npm", [...args, "--loglevel=error"], { cwd, encoding: "utf8" });
  const packed = npm(root, "pack", "--ignore-scripts", "--json", "--pack-destination", folder);
  const [{ filename }] = packSchema.parse(JSON.parse(packed));
  writeFileSync(join(folder, "package.json"), '{ "name": "host", "private": true, "type": "module" }');
  npm(folder, "install", "--prefer-offline", "--no-audit", "--no-fund", `./${filename}`);
  const { packages } = lockSchema.parse(JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8")));
  return { folder, packages: Object.keys(packages).filter((path) => path !== "") };
}

/** Puts packages of this checkout beside the package, as a host has them. */
export function lend({ folder }: Installed, names: readonly string[]): void {
  for (const name of names) {
    const place = join(folder, "node_modules", name);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(join(root, "node_modules", name), place, "junction");
  }
}
