import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build as bundle } from "esbuild";
import manifest from "../../package.json" with { type: "json" };
import { readContents } from "./contents.js";
import { contentsFile, getAddress, read, relativePath, resolveLinkedFile, root } from "./files.js";
import { type Navigation, renderDocument } from "./layout.js";
import { renderFullText, renderOverview, replaceLinks } from "./llms.js";
import { type Rendered, renderMarkdown } from "./markdown.js";
import { renderEntryPages } from "./reference/entry-page.js";
import { createLinks, readReference } from "./reference/names.js";
import { searchIndex } from "./search-index.js";
import { renderSourcePage } from "./source-page.js";

const here = import.meta.dirname;
/** A folder with this file in it is one that this program has made, and may remove. */
const mark = "search-index.json";

/**
 * Builds the site into a folder, and replaces its contents.
 * @returns the number of pages, and the bytes of all files.
 */
export async function build(out: string): Promise<{ pages: number; bytes: number }> {
  if (existsSync(out) && readdirSync(out).length > 0 && !existsSync(join(out, mark)))
    throw new Error(`${out} has files that are not of the site`);
  rmSync(out, { recursive: true, force: true });
  const write = (address: string, text: string) => {
    mkdirSync(dirname(join(out, address)), { recursive: true });
    writeFileSync(join(out, address), text);
  };

  write(mark, "{}");
  const sections = readContents();
  const listed = sections.flatMap(({ pages }) => pages);
  assertAllListed(listed.map(({ file }) => file));
  const all = readReference();
  const navigation: Navigation = {
    sections,
    reference: all.entries.map(({ specifier, address }) => ({ title: specifier, address })),
  };
  const found: { address: string; title: string; pieces: Rendered["pieces"] }[] = [];
  const add = (address: string, description: string, { html, pieces }: Rendered) => {
    if (found.some((page) => page.address === address)) throw new Error(`${address} would be two pages`);
    const headings = pieces.map(({ heading }) => heading);
    const title = headings[0]?.text ?? address;
    write(address, renderDocument({ address, title, description, html, headings }, navigation));
    found.push({ address, title, pieces });
  };

  const linked = new Set<string>();
  const waiting = [{ file: contentsFile, description: manifest.description }, ...listed];
  for (const { file, description } of waiting) {
    const address = getAddress(file);
    const resolveLink = (href: string) => {
      const [path = "", section] = href.split("#");
      const hash = section === undefined ? "" : `#${section}`;
      if (path === "") return hash;
      const target = resolveLinkedFile(path, file);
      linked.add(target);
      return relativePath(getAddress(target), address) + hash;
    };
    add(
      address,
      description,
      renderMarkdown(read(file), { link: resolveLink, addressOfName: createLinks(address, all) }),
    );
  }
  for (const { address, description, text } of all.entries.flatMap((entry) => renderEntryPages(entry, all))) {
    const addressOfName = createLinks(address, all);
    add(address, description, renderMarkdown(text, { link: (href) => href, addressOfName }));
  }
  const files = new Set(waiting.map(({ file }) => file));
  for (const file of linked) {
    if (files.has(file) || file.startsWith("docs/pictures/")) continue;
    const page = renderSourcePage(file, (each) => linked.add(each));
    add(getAddress(file), `The file ${file} of the package.`, page);
  }

  cpSync(join(root, "docs/pictures"), join(out, "pictures"), { recursive: true });
  cpSync(join(here, "icon.svg"), join(out, "icon.svg"));
  cpSync(join(here, "style.css"), join(out, "style.css"));
  await bundle({
    entryPoints: [join(here, "browser/theme.ts"), join(here, "browser/site.ts")],
    outdir: out,
    bundle: true,
    minify: true,
    format: "iife",
    logLevel: "warning",
  });
  write(mark, searchIndex(found));
  for (const { file } of waiting) write(getAddress(file).replace(/html$/, "md"), replaceLinks(file));
  write("llms.txt", renderOverview(sections, navigation.reference));
  write("llms-full.txt", renderFullText(listed));
  return { pages: found.length, bytes: measureBytes(out) };
}

/** @throws when a page of the documentation does not stand in the table of contents, or stands there twice. */
function assertAllListed(files: readonly string[]): void {
  const pages = readdirSync(join(root, "docs")).filter((file) => file.endsWith(".md"));
  const missing = pages
    .map((file) => `docs/${file}`)
    .filter((file) => file !== contentsFile && !files.includes(file));
  if (missing.length > 0) throw new Error(`${contentsFile} lacks ${missing.join(", ")}`);
  const twice = files.filter((file, at) => files.indexOf(file) !== at);
  if (twice.length > 0) throw new Error(`${contentsFile} lists ${twice.join(", ")} twice`);
}

function measureBytes(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((file) => statSync(join(folder, file)))
    .reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0);
}
