import manifest from "../../package.json" with { type: "json" };
import type { Listed, Section } from "./contents.js";
import { getAddress, read, relativePath, resolveLinkedFile } from "./files.js";

/** The table of contents in the form of llmstxt.org, which leads to the pages in Markdown. */
export function renderOverview(
  sections: readonly Section[],
  reference: readonly { readonly title: string; readonly address: string }[],
): string {
  const listed = sections.map(({ title, pages }) => {
    const items = pages.map((page) => {
      const text = page.description === "" ? "" : `: ${page.description}`;
      return `- [${page.title}](${readMarkdown(page.file)})${text}`;
    });
    return `## ${title}\n\n${items.join("\n")}`;
  });
  const exports = reference.map(({ title, address }) => `- [${title}](${address})`).join("\n");
  return [`# ${manifest.name}`, `> ${manifest.description}`, ...listed, `## Exports\n\n${exports}`]
    .join("\n\n")
    .concat("\n");
}

/** All pages of the documentation, one after the other. */
export function renderFullText(pages: readonly Listed[]): string {
  return pages.map(({ file }) => replaceLinks(file)).join("\n\n");
}

/** A page in Markdown, whose links lead to pages of the site. */
export function replaceLinks(file: string): string {
  return read(file).replaceAll(/\]\((?!https?:|#)([^)\s#]+)/g, (_, link: string) => {
    const target = resolveLinkedFile(link, file);
    const address = target.endsWith(".md") ? readMarkdown(target) : getAddress(target);
    return `](${relativePath(address, getAddress(file))}`;
  });
}

function readMarkdown(file: string): string {
  return getAddress(file).replace(/html$/, "md");
}
