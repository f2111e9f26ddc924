import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";

/** The site, as `npm run docs` builds it. */
export interface Site {
  readonly folder: string;
  /** The paths of all its files, with slashes. */
  readonly files: readonly string[];
  read(file: string): string;
}

/** Builds the site into a new temporary folder. */
export function buildTestSite(): Site {
  const folder = mkdtempSync(join(tmpdir(), "loyalty-site-"));
  execFileSync("npm", ["run", "--silent", "docs", "--", "--out", folder], {
    cwd: join(import.meta.dirname, "../.."),
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .split(sep)
        .join("/"),
    );
  return { folder, files, read: (file) => readFileSync(join(folder, file), "utf8") };
}
