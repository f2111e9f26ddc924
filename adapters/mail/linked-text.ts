import { type Html, html } from "../http/html-page.js";

/** A URL in a text reaches to the next space, or to a character that none contains as it is. */
const urls = /\bhttps?:\/\/[^\s<>"“”„«»\p{Cc}\p{Bidi_Control}]+/giu;

/** The characters that end a sentence rather than the URL before them. */
const behind: ReadonlySet<string> = new Set(".,;:!?'’…*_~|)]}");

/** A bracket that the URL has opened itself is its own. */
const openings: ReadonlyMap<string, string> = new Map([
  [")", "("],
  ["]", "["],
  ["}", "{"],
]);

/**
 * Returns a text as HTML: a paragraph for each of its paragraphs, between which it has empty lines, and a link for each URL of http and
 * https. Nothing else of the text is markup.
 */
export function linkedText(text: string): Html[] {
  return text
    .split(/\n(?:[^\S\n]*\n)+/)
    .filter((paragraph) => paragraph.trim() !== "")
    .map((paragraph) => html`<p dir="auto" style="margin:0 0 16px">${linesOf(paragraph)}</p>\n`);
}

function linesOf(paragraph: string): Html[] {
  const lines = paragraph.split("\n");
  return lines.map((line, at) => html`${linked(line)}${at < lines.length - 1 ? [html`<br>`] : []}`);
}

function linked(line: string): Html[] {
  const parts: Html[] = [];
  let end = 0;
  for (const { 0: match, index } of line.matchAll(urls)) {
    const url = urlIn(match);
    const target = targetOf(url);
    if (target === null) continue;
    parts.push(html`${line.slice(end, index)}<a href="${target}" style="color:inherit">${url}</a>`);
    end = index + url.length;
  }
  return [...parts, html`${line.slice(end)}`];
}

/** Returns the URL without what ends the sentence that it stands in. */
function urlIn(match: string): string {
  const unclosed = new Map(
    [...openings].map(([close, open]) => [close, countOf(match, close) - countOf(match, open)]),
  );
  let end = match.length;
  for (; ; end -= 1) {
    const last = match.charAt(end - 1);
    if (!behind.has(last)) break;
    const surplus = unclosed.get(last);
    if (surplus === undefined) continue;
    if (surplus <= 0) break;
    unclosed.set(last, surplus - 1);
  }
  return match.slice(0, end);
}

function countOf(text: string, character: string): number {
  return text.split(character).length - 1;
}

function targetOf(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { href, protocol } = new URL(url);
  return protocol === "https:" || protocol === "http:" ? href : null;
}
