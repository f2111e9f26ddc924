import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import type { BundledPackage } from "../../../packaging/bundled-packages.js";
import { root } from "../imports.js";

const manifestSchema = z.object({ version: z.string(), license: z.string() });

/** A row of the table: name, purpose, version, license. */
const row = /^\| `([^`]+)` \| [^|]+ \| ([0-9][^| ]*) \| ([^|]+) \|/gm;

/**
 * Compares the packages in the table of docs/contributing/choices.md with the packages that we depend on, which are
 * either installed with ours or bundled.
 */
export function findChoiceProblems(
  installed: readonly string[],
  requested: readonly string[],
  bundled: readonly BundledPackage[],
): readonly string[] {
  const rows = [...readFileSync(join(root, "docs/contributing/choices.md"), "utf8").matchAll(row)];
  const listedPackages = rows.map(([, name = "", version, license]) => `${name} ${version} ${license}`);
  const isBundled = new Set(bundled.map(({ name }) => name));
  const shipped = [...installed, ...requested.filter((name) => isBundled.has(name))].map((name) => {
    const text = readFileSync(join(root, "node_modules", name, "package.json"), "utf8");
    const { version, license } = manifestSchema.parse(JSON.parse(text));
    return `${name} ${version} ${license}`;
  });
  return [
    ...shipped
      .filter((each) => !listedPackages.includes(each))
      .map((each) => `docs/contributing/choices.md lacks a row: ${each}`),
    ...listedPackages
      .filter((each) => !shipped.includes(each))
      .map((each) => `docs/contributing/choices.md tells of ${each}`),
  ];
}
