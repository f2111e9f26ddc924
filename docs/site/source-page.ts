import { readdirSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { codeBlock, escaped, markedCode } from "./code.js";
import { addressOf, isFolder, read, root, wayTo } from "./files.js";
import type { Rendered } from "./markdown.js";

/**
 * Shows a file that pages link to, or the files of a folder.
 * @param linkTo hears of each file that the page links to.
 */
export function sourcePage(file: string, linkTo: (file: string) => void): Rendered {
  const heading = { depth: 1, text: file, slug: "file" };
  const html = isFolder(file)
    ? listing(file, linkTo)
    : codeBlock(markedCode(read(file), extname(file).slice(1) || basename(file)));
  return { html: `<h1 id="file">${escaped(file)}</h1>\n${html}`, pieces: [{ heading, text: "" }] };
}

function listing(folder: string, linkTo: (file: string) => void): string {
  const items = readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => {
      const file = `${folder}/${name}`;
      linkTo(file);
      return `<li><a href="${wayTo(addressOf(file), addressOf(folder))}">${escaped(name)}</a></li>`;
    });
  return `<ul>${items.join("\n")}</ul>`;
}
