import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join, posix } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { entryPoints } from "../../packaging/entry-points.js";
import { buildTestSite, type Site } from "./built.js";

const root = join(import.meta.dirname, "../..");
let site: Site;
let pages: readonly string[];

beforeAll(() => {
  site = buildTestSite();
  pages = site.files.filter((file) => file.endsWith(".html"));
});

afterAll(() => {
  rmSync(site.folder, { recursive: true });
});

const listAttributes = (name: string, html: string) =>
  [...html.matchAll(new RegExp(` ${name}="([^"]*)"`, "g"))].map(([, value = ""]) => value);

describe("the documentation site", () => {
  it("has every page of docs, in HTML and in Markdown", () => {
    const names = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".md") && file !== "README.md")
      .map((file) => file.replace(/\.md$/, ""));
    expect(names.length).toBeGreaterThan(20);
    for (const name of ["index", ...names]) {
      expect(pages).toContain(`${name}.html`);
      expect(site.files).toContain(`${name}.md`);
      expect(site.read(`${name}.html`)).toContain("<h1 ");
    }
  });

  it("links only to pages, sections and files that it has", () => {
    const sections = new Map(pages.map((page) => [page, new Set(listAttributes("id", site.read(page)))]));
    const brokenLinks: string[] = [];
    for (const page of pages) {
      const html = site.read(page);
      for (const link of [...listAttributes("href", html), ...listAttributes("src", html)]) {
        if (/^(?:https?|mailto):/.test(link)) continue;
        const [path = "", section] = link.split("#");
        const target = path === "" ? page : posix.join(posix.dirname(page), path);
        const isThere =
          site.files.includes(target) &&
          (section === undefined || sections.get(target)?.has(section) === true);
        if (!isThere) brokenLinks.push(`${page}: ${link}`);
      }
    }
    expect(brokenLinks).toEqual([]);
  });

  it("has each section ID only once on a page", () => {
    for (const page of pages) {
      const ids = listAttributes("id", site.read(page));
      expect(new Set(ids).size, page).toBe(ids.length);
    }
  });

  it("requests nothing from other hosts, and runs nothing inline", () => {
    for (const page of pages) {
      const html = site.read(page);
      expect(html, page).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
      expect(html, page).not.toMatch(/<(?:script|img|link)[^>]* (?:src|href)="(?:https?:)?\/\//);
      expect(html, page).not.toMatch(/<script>|<style>| style="| on\w+="/);
    }
    expect(site.read("style.css")).not.toMatch(/url\(|@import/);
  });

  it("can be served under any path, because no link begins with a slash", () => {
    for (const page of pages) {
      const html = site.read(page);
      expect(
        [...listAttributes("href", html), ...listAttributes("src", html)].filter((link) =>
          link.startsWith("/"),
        ),
      ).toEqual([]);
    }
  });

  it("describes every export of every entry point", () => {
    const missing = Object.keys(entryPoints).flatMap((entry) => {
      const report = readFileSync(join(root, `packaging/api/${entry}.api.md`), "utf8");
      const sections = listAttributes("id", site.read(`reference/${entry}.html`));
      const [own = "", elsewhere = ""] = report.split("## Exported, and written down elsewhere");
      const [exported = ""] = own.split("## Beneath");
      const names = exported.matchAll(
        /^export (?:default )?(?:declare )?(?:abstract )?(?:function|class|interface|type|const) (\w+)/gm,
      );
      const others = elsewhere.split("## Beneath")[0]?.matchAll(/^- (\w+) /gm) ?? [];
      const aliases = new Map(
        [...exported.matchAll(/^\/\/ exported as (\w+)\nexport (?:declare )?\w+ (\w+)/gm)].map(
          ([, alias = "", name = ""]) => [name, alias],
        ),
      );
      const page = site.read(`reference/${entry}.html`);
      return [
        ...[...names].filter(
          ([, name = ""]) => !sections.includes((aliases.get(name) ?? name).toLowerCase()),
        ),
        // Tables that types are derived from have no section, because the types are shown in full.
        ...[...others].filter(
          ([, name = ""]) =>
            !/^[a-z]\w*(?:Record|Columns)$/.test(name) && !page.includes(`<code>${name}</code></a>`),
        ),
      ].map(([line]) => `${entry}: ${line}`);
    });
    expect(missing).toEqual([]);
  });

  it("shows doc comments, and links names in code to their descriptions", () => {
    const page = site.read("reference/http.html");
    expect(page).toContain("the API tokens that the service has issued.");
    expect(page).toContain('<a href="index.html#loyaltyservice">LoyaltyService</a>');
    expect(page).toMatch(/In use: .*<a href="\.\.\/getting-started\.html">/);
    expect(site.read("getting-started.html")).toContain(
      '<a href="reference/http.html#createhttpapi">createHttpApi</a>',
    );
  });

  it("lists its Markdown pages for machines", () => {
    const links = [...site.read("llms.txt").matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link);
    expect(links.length).toBeGreaterThan(40);
    expect(links.filter((link = "") => !site.files.includes(link))).toEqual([]);
    const full = site.read("llms-full.txt");
    for (const page of ["# Getting started", "# The HTTP interface", "# Webhooks"])
      expect(full).toContain(`${page}\n`);
  });
});
