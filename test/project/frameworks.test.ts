import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "./imports.js";
import { read } from "./pages.js";

const hosts = join(root, "examples/hosts");
const names = readdirSync(hosts).sort();
const readFiles = (name: string) =>
  readdirSync(join(hosts, name), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
const page = read("docs/frameworks.md");

describe("the page on frameworks", () => {
  it("shows only code of the hosts", () => {
    const sources = names.flatMap((name) =>
      readFiles(name).map(({ parentPath, name: file }) => readFileSync(join(parentPath, file), "utf8")),
    );
    const snippets = [...page.matchAll(/^```js\n(.+?)^```/gms)].map(([, code = ""]) => code);
    expect(snippets.length).toBeGreaterThan(12);
    expect(snippets.filter((code) => !sources.some((source) => source.includes(code)))).toEqual([]);
  });

  it("has a dated row with versions for each host", () => {
    const [, testedVersions = ""] = page.split("\n## Versions that were tried\n");
    expect(testedVersions).toMatch(/^\n20\d\d-\d\d-\d\d, Node\.js \d+\.\d+\.\d+\./);
    const rows = [
      ...testedVersions.matchAll(
        /^\| \[([\w-]+)\]\(\.\.\/examples\/hosts\/[\w-]+\) \| .+? \| yes( \| yes){6} \|$/gm,
      ),
    ];
    expect(rows.map(([, name]) => name)).toEqual(names);
  });
});

it.each(names)("the host %s has at most four code files", (name) => {
  const config =
    /^(package\.json|tsconfig\.json|.+\.config\.m?js|adonisrc\.js|routes\.js|root\.jsx|app\.html)$/;
  const code = readFiles(name).filter((entry) => !config.test(entry.name));
  expect(code.length).toBeLessThanOrEqual(4);
});
