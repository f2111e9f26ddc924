import { type Html, html } from "../http/html-page.js";
import { linkedParts } from "./linked-parts.js";

/**
 * Renders plain text as HTML. Text between blank lines becomes a paragraph, http and https URLs become links, and everything else
 * is escaped.
 */
export function linkify(text: string): Html[] {
  return text
    .split(/\n(?:[^\S\n]*\n)+/)
    .filter((paragraph) => paragraph.trim() !== "")
    .map((paragraph) => html`<p dir="auto" style="margin:0 0 16px">${renderLines(paragraph)}</p>\n`);
}

function renderLines(paragraph: string): Html[] {
  const lines = paragraph.split("\n");
  return lines.map((line, at) => html`${linked(line)}${at < lines.length - 1 ? [html`<br>`] : []}`);
}

function linked(line: string): Html[] {
  return linkedParts(line).map(({ text, target }) =>
    target === null ? html`${text}` : html`<a href="${target}" style="color:inherit">${text}</a>`,
  );
}
