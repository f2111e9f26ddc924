import { marked } from "marked";
import { contentsFile, read } from "./files.js";

/** A page as the table of contents names it. */
export interface Listed {
  readonly title: string;
  /** From the root of the project, such as `docs/http.md`. */
  readonly file: string;
  /** Markdown in one line. */
  readonly description: string;
}

export interface Section {
  readonly title: string;
  readonly pages: readonly Listed[];
}

const entry = /^\[([^\]]+)\]\(([^)]+\.md)\)(?:: (.+))?$/s;

/** Reads the table of contents: each list under a heading of the second level, whose items are links to pages. */
export function readContents(): readonly Section[] {
  const sections: { title: string; pages: Listed[] }[] = [];
  for (const token of marked.lexer(read(contentsFile))) {
    if (token.type === "heading" && token.depth === 2) sections.push({ title: token.text, pages: [] });
    if (token.type !== "list") continue;
    for (const { text } of token.items) {
      const [, title = "", link = "", description = ""] = entry.exec(text) ?? [];
      if (link === "") throw new Error(`${contentsFile} has an item that is no page: ${text}`);
      const file = link.startsWith("../") ? link.slice(3) : `docs/${link}`;
      sections.at(-1)?.pages.push({ title, file, description: description.replaceAll("\n", " ") });
    }
  }
  return sections.filter(({ pages }) => pages.length > 0);
}
