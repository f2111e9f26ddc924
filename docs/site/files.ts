import { readFileSync, statSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the project. */
export const root = join(dirname(fileURLToPath(import.meta.url)), "../..");

/** The table of contents, and the first page of the site. */
export const contentsFile = "docs/README.md";

export function read(file: string): string {
  return readFileSync(join(root, file), "utf8");
}

export function isFolder(path: string): boolean {
  return statSync(join(root, path)).isDirectory();
}

/** The path on the site of a file of the project. */
export function getAddress(file: string): string {
  if (file === contentsFile) return "index.html";
  if (file === "README.md") return "overview.html";
  if (file.startsWith("docs/") && file.endsWith(".md")) return file.slice(5).replace(/\.md$/, ".html");
  if (/^[A-Z]+\.md$/.test(file)) return `project/${file.toLowerCase().replace(/\.md$/, ".html")}`;
  if (/^docs\/pictures\//.test(file)) return file.slice(5);
  return `source/${file}.html`;
}

/** The way from one page of the site to another. */
export function relativePath(address: string, from: string): string {
  return posix.relative(posix.dirname(from), address) || posix.basename(address);
}

/** The file that a relative link on a page of the project means. */
export function resolveLinkedFile(link: string, file: string): string {
  return posix.normalize(posix.join(posix.dirname(file), link));
}
