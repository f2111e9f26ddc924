import { Marked, type Tokens } from "marked";
import { type AddressOfName, escapeHtml, highlightCode, renderCodeBlock } from "./code.js";
import { renderDiagram, renderTable } from "./diagram.js";
import { Slugs } from "./slug.js";

export interface Heading {
  readonly depth: number;
  readonly text: string;
  readonly slug: string;
}

/** A piece of a page between two headings, as search finds it. */
export interface Piece {
  readonly heading: Heading;
  readonly text: string;
}

export interface Rendered {
  readonly html: string;
  readonly pieces: readonly Piece[];
}

export interface Surroundings {
  /** The address of a relative link. */
  link(href: string): string;
  readonly addressOfName?: AddressOfName;
}

/** Renders a page, and cuts its text into pieces for search. */
export function renderMarkdown(markdown: string, { link, addressOfName }: Surroundings): Rendered {
  const slugs = new Slugs();
  const pieces: { heading: Heading; text: string }[] = [];
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }: Tokens.Heading) {
        const html = this.parser.parseInline(tokens);
        const text = toPlainText(html);
        const slug = slugs.create(text);
        pieces.push({ heading: { depth, text, slug }, text: "" });
        const anchor =
          depth === 1
            ? ""
            : ` <a class="anchor" href="#${slug}" aria-label="Link to ${escapeHtml(text)}">#</a>`;
        return `<h${depth} id="${slug}">${html}${anchor}</h${depth}>\n`;
      },
      code({ text, lang = "" }: Tokens.Code) {
        if (lang === "mermaid") return renderDiagram(text);
        return renderCodeBlock(highlightCode(text, lang === "" ? "ts" : lang, addressOfName));
      },
      link({ href, tokens }: Tokens.Link) {
        const inner = this.parser.parseInline(tokens);
        return /^https?:|^mailto:/.test(href)
          ? `<a href="${escapeHtml(href)}" rel="noreferrer">${inner}</a>`
          : `<a href="${escapeHtml(link(href))}">${inner}</a>`;
      },
      image: ({ href, text }: Tokens.Image) =>
        `<img src="${escapeHtml(link(href))}" alt="${escapeHtml(text)}" loading="lazy">`,
      html: ({ text }: Tokens.HTML | Tokens.Tag) =>
        text.startsWith("<!--")
          ? ""
          : text.replaceAll(/src="([^"]+)"/g, (_, src: string) => `src="${link(src)}"`),
      table({ header, rows }: Tokens.Table) {
        const renderCell = ({ tokens }: Tokens.TableCell, tag: string) => {
          const html = this.parser.parseInline(tokens);
          const name = html === "" ? "td" : tag; // An empty cell heads nothing.
          return `<${name}>${html}</${name}>`;
        };
        const renderCells = (row: readonly Tokens.TableCell[], tag: string) =>
          `<tr>${row.map((each) => renderCell(each, tag)).join("")}</tr>`;
        return renderTable(
          `<thead>${renderCells(header, "th")}</thead><tbody>${rows.map((row) => renderCells(row, "td")).join("\n")}</tbody>`,
        );
      },
    },
    hooks: {
      processAllTokens(tokens) {
        return tokens;
      },
    },
  });
  const tokens = marked.lexer(markdown);
  const html: string[] = [];
  for (const token of tokens) {
    const part = marked.parser([token]);
    html.push(part);
    const last = pieces.at(-1);
    if (token.type !== "heading" && last !== undefined) last.text += ` ${toPlainText(part)}`;
  }
  return { html: html.join(""), pieces };
}

/** The text of HTML. */
export function toPlainText(html: string): string {
  return html
    .replaceAll(/<a class="anchor".*?<\/a>/g, "")
    .replaceAll(/<\/(?:td|th|li|p)>/g, " ")
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")
    .replaceAll(/\s+/g, " ")
    .trim();
}
