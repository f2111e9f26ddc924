import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import * as z from "zod";
import { root } from "../imports.js";

const packSchema = z.tuple([
  z.object({ filename: z.string(), entryCount: z.number(), size: z.number(), unpackedSize: z.number() }),
]);

/** The npm options with which the checks install packages. */
export const installOptions = ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];

/** The package as it would be published. */
export interface PackedPackage {
  readonly file: string;
  readonly files: number;
  readonly bytes: number;
  readonly unpackedBytes: number;
}

/** Packs the build into a folder. */
export function pack(folder: string): PackedPackage {
  const args = ["pack", "--ignore-scripts", "--json", "--loglevel=error", "--pack-destination", folder];
  const [{ filename, entryCount, size, unpackedSize }] = packSchema.parse(
    JSON.parse(execFileSync("npm", args, { cwd: root, encoding: "utf8" })),
  );
  return { file: join(folder, filename), files: entryCount, bytes: size, unpackedBytes: unpackedSize };
}

/** Checks with publint and attw whether the archive can be imported without problems. */
export function findLintProblems({ file }: PackedPackage): readonly string[] {
  const linters = [
    ["publint", "run", file, "--strict"],
    ["attw", file, "--profile", "node16", "--no-color", "--format", "ascii"],
  ];
  return linters.flatMap(([name = "", ...args]) => {
    const program = join(root, "node_modules/.bin", name);
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: root, encoding: "utf8" });
    return status === 0 ? [] : [`${name}:\n${stdout}${stderr}`];
  });
}
