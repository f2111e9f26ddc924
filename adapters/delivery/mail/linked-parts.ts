import { parseUrl } from "../../../src/base/values/url.js";

/** Matches URLs in text, up to whitespace or a character that never occurs unescaped in a URL. */
const urlPattern = /\bhttps?:\/\/[^\s<>"“”„«»\p{Cc}\p{Bidi_Control}]+/giu;

/** Characters that end a sentence rather than the URL before them. */
const trailingPunctuation: ReadonlySet<string> = new Set(".,;:!?'’…*_~|)]}");

/** Opening brackets keyed by closing bracket. A closing bracket belongs to a URL that contains its opening bracket. */
const openingBrackets: ReadonlyMap<string, string> = new Map([
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
export function splitLinkedParts(text: string): LinkedPart[] {
  const parts: LinkedPart[] = [];
  let end = 0;
  for (const { 0: match, index } of text.matchAll(urlPattern)) {
    const url = extractUrl(match);
    const target = normalizeWebUrl(url);
    if (target === null) continue;
    parts.push({ text: text.slice(end, index), target: null }, { text: url, target });
    end = index + url.length;
  }
  return [...parts, { text: text.slice(end), target: null }];
}

/** Returns the URL without trailing characters that belong to the sentence around it. */
function extractUrl(match: string): string {
  const unmatchedClosings = new Map(
    [...openingBrackets].map(([close, open]) => [
      close,
      countOccurrences(match, close) - countOccurrences(match, open),
    ]),
  );
  let end = match.length;
  for (; ; end -= 1) {
    const last = match.charAt(end - 1);
    if (!trailingPunctuation.has(last)) break;
    const surplus = unmatchedClosings.get(last);
    if (surplus === undefined) continue;
    if (surplus <= 0) break;
    unmatchedClosings.set(last, surplus - 1);
  }
  return match.slice(0, end);
}

function countOccurrences(text: string, character: string): number {
  return text.split(character).length - 1;
}

function normalizeWebUrl(text: string): string | null {
  const url = parseUrl(text);
  return url?.protocol === "https:" || url?.protocol === "http:" ? url.href : null;
}
