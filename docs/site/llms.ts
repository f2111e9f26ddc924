import manifest from "../../package.json" with { type: "json" };
import type { Listed, Section } from "./contents.js";
import { addressOf, linkedFile, read, wayTo } from "./files.js";

/** The table of contents in the form of llmstxt.org, which leads to the pages in Markdown. */
export function overview(
  sections: readonly Section[],
  reference: readonly { readonly title: string; readonly address: string }[],
): string {
  const listed = sections.map(({ title, pages }) => {
    const items = pages.map((page) => {
      const text = page.description === "" ? "" : `: ${page.description}`;
      return `- [${page.title}](${markdownOf(page.file)})${text}`;
    });
    return `## ${title}\n\n${items.join("\n")}`;
  });
  const exports = reference.map(({ title, address }) => `- [${title}](${address})`).join("\n");
  return [`# ${manifest.name}`, `> ${manifest.description}`, ...listed, `## Exports\n\n${exports}`]
    .join("\n\n")
    .concat("\n");
}

/** All pages of the documentation, one after the other. */
export function fullText(pages: readonly Listed[]): string {
  return pages.map(({ file }) => withLinksOfSite(file)).join("\n\n");
}

/** A page in Markdown, whose links lead to pages of the site. */
export function withLinksOfSite(file: string): string {
  return read(file).replaceAll(/\]\((?!https?:|#)([^)\s#]+)/g, (_, link: string) => {
    const target = linkedFile(link, file);
    const address = target.endsWith(".md") ? markdownOf(target) : addressOf(target);
    return `](${wayTo(address, addressOf(file))}`;
  });
}

function markdownOf(file: string): string {
  return addressOf(file).replace(/html$/, "md");
}
