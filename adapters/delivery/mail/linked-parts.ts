import { parseUrl } from "../../../src/base/values/url.js";

/** Matches URLs in text, up to whitespace or a character that never occurs unescaped in a URL. */
const urls = /\bhttps?:\/\/[^\s<>"“”„«»\p{Cc}\p{Bidi_Control}]+/giu;

/** Characters that end a sentence rather than the URL before them. */
const trailingMarks: ReadonlySet<string> = new Set(".,;:!?'’…*_~|)]}");

/** Opening brackets keyed by closing bracket. A closing bracket belongs to a URL that contains its opening bracket. */
const openings: ReadonlyMap<string, string> = new Map([
  [")", "("],
  ["]", "["],
  ["}", "{"],
]);

/** A part of a string. `target` is the normalized URL if the part is an HTTP or HTTPS URL, or `null` otherwise. */
export interface LinkedPart {
  readonly text: string;
  readonly target: string | null;
}

/** Splits text into URLs and the text between them. Used to create the links in emails and their previews. */
export function linkedParts(text: string): LinkedPart[] {
  const parts: LinkedPart[] = [];
  let end = 0;
  for (const { 0: match, index } of text.matchAll(urls)) {
    const url = extractUrl(match);
    const target = targetOf(url);
    if (target === null) continue;
    parts.push({ text: text.slice(end, index), target: null }, { text: url, target });
    end = index + url.length;
  }
  return [...parts, { text: text.slice(end), target: null }];
}

/** Returns the URL without trailing characters that belong to the sentence around it. */
function extractUrl(match: string): string {
  const unclosed = new Map(
    [...openings].map(([close, open]) => [close, countOf(match, close) - countOf(match, open)]),
  );
  let end = match.length;
  for (; ; end -= 1) {
    const last = match.charAt(end - 1);
    if (!trailingMarks.has(last)) break;
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

function targetOf(text: string): string | null {
  const url = parseUrl(text);
  return url?.protocol === "https:" || url?.protocol === "http:" ? url.href : null;
}
