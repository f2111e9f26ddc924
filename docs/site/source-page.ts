import { readdirSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { escapeHtml, highlightCode, renderCodeBlock } from "./code.js";
import { getAddress, isFolder, read, relativePath, root } from "./files.js";
import type { Rendered } from "./markdown.js";

/**
 * Shows a file that pages link to, or the files of a folder.
 * @param linkTo hears of each file that the page links to.
 */
export function renderSourcePage(file: string, linkTo: (file: string) => void): Rendered {
  const heading = { depth: 1, text: file, slug: "file" };
  const html = isFolder(file)
    ? renderListing(file, linkTo)
    : renderCodeBlock(highlightCode(read(file), extname(file).slice(1) || basename(file)));
  return { html: `<h1 id="file">${escapeHtml(file)}</h1>\n${html}`, pieces: [{ heading, text: "" }] };
}

function renderListing(folder: string, linkTo: (file: string) => void): string {
  const items = readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => {
      const file = `${folder}/${name}`;
      linkTo(file);
      return `<li><a href="${relativePath(getAddress(file), getAddress(folder))}">${escapeHtml(name)}</a></li>`;
    });
  return `<ul>${items.join("\n")}</ul>`;
}
