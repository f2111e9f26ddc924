import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { BundledPackage } from "../../../packaging/bundled-packages.js";

/** esbuild writes the origin of each file before its code. */
const origin = /^\s*\/\/ (?:parts:|node_modules\/(?:.+\/node_modules\/)?)((?:@[^/\s]+\/)?[^/\s]+)/gm;

/** Finds packages whose code ships without being listed, and listed packages without a notice. */
export function findMissingNotices(
  packageFolder: string,
  bundled: readonly BundledPackage[],
): readonly string[] {
  const dist = join(packageFolder, "dist");
  const bundledNames = new Set(bundled.map(({ name }) => name));
  const shipped = readdirSync(dist)
    .filter((name) => name.endsWith(".js"))
    .flatMap((name) => [...readFileSync(join(dist, name), "utf8").matchAll(origin)])
    .map(([, name = ""]) => name);
  const notices = readFileSync(join(dist, "THIRD-PARTY.txt"), "utf8").split(/^-{80}$/m);
  const isNoticed = ({ name, version }: BundledPackage) =>
    notices.some(
      (notice) => notice.trim().startsWith(`${name} ${version} (`) && /copyright|permission/i.test(notice),
    );
  return [
    ...[...new Set(shipped)]
      .filter((name) => !bundledNames.has(name))
      .map((name) => `${name} ships, and is not listed`),
    ...bundled.filter((each) => !isNoticed(each)).map(({ name }) => `${name} ships without its notice`),
    ...(shipped.length === 0 ? ["nothing tells which packages are bundled"] : []),
  ];
}
