import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { expect, it } from "vitest";
import { root } from "./imports.js";

it("the files and folders that CONTRIBUTING.md names exist", () => {
  const places = ["src", "adapters", "test", "bench", "docs", "examples", "packaging"].flatMap(listFolders);
  const namedPaths = [
    ...readFileSync(join(root, "CONTRIBUTING.md"), "utf8").matchAll(/`([\w./-]+(?:\/|\.ts))`/g),
  ];
  const paths = namedPaths.map(([, path = ""]) => path);
  expect(paths.length).toBeGreaterThan(50);
  expect(paths.filter((path) => !places.some((place) => place.endsWith(`/${path}`)))).toEqual([]);
});

it("CONTRIBUTING.md takes at most ten minutes to read, at 200 words a minute", () => {
  expect(readFileSync(join(root, "CONTRIBUTING.md"), "utf8").split(/\s+/).length).toBeLessThan(2_000);
});

/** Lists the paths of files and folders with a leading slash, and of folders also with a trailing one. */
function listFolders(house: string): string[] {
  const entries = readdirSync(join(root, house), { recursive: true, withFileTypes: true });
  const paths = entries.map((entry) => {
    const path = `${entry.parentPath}/${entry.name}${entry.isDirectory() ? "/" : ""}`;
    return path.slice(root.length).split(sep).join("/");
  });
  return [`/${house}/`, ...paths];
}
