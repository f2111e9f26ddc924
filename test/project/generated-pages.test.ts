import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { madePages } from "../../docs/write-pages.js";
import { root } from "./imports.js";
import { pages, read } from "./pages.js";

describe("the generated pages", () => {
  it.each(Object.entries(madePages))(
    "%s matches the code; npm run docs:pages regenerates it",
    (file, page) => {
      expect(existsSync(join(root, "docs", file)) ? read(`docs/${file}`) : "").toBe(page());
    },
  );

  it("settings.md describes each setting", () => {
    const rows = read("docs/settings.md").match(/^\| `.*$/gm) ?? [];
    expect(rows.length).toBeGreaterThan(80);
    expect(rows.filter((row) => / \| \|$|\| {2}\|$/.test(row))).toEqual([]);
  });
});

describe("the table of contents", () => {
  it("lists every page of docs once", () => {
    const listedPages = [...read("docs/README.md").matchAll(/^- \[[^\]]+\]\(([\w/-]+\.md)\)/gm)].map(
      ([, file]) => file,
    );
    const there = pages.filter((page) => page.startsWith("docs/") && page !== "docs/README.md");
    expect(listedPages.map((file) => `docs/${file}`).sort()).toEqual(there.sort());
  });
});

describe("the glossary", () => {
  const [, glossary = ""] = read("docs/concepts.md").split(
    "\n## Glossary\n\nEach word means one thing in the API, on the screens and in these pages.\n",
  );

  it("lists its words in alphabetical order, each with a link to a page", () => {
    const words = [...glossary.matchAll(/^\*\*(.+?)\*\*/gm)].map(([, word = ""]) => word);
    expect(words.length).toBeGreaterThan(25);
    expect(words).toEqual([...words].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)));
    for (const entry of glossary.trim().split("\n\n")) expect(entry).toMatch(/\]\([\w-]+\.md/);
  });
});
