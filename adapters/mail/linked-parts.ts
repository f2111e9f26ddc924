import { parseUrl } from "../../src/values/url.js";

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

/** A part of a text. Where it is a URL of http or https, it leads to `target`. */
export interface LinkedPart {
  readonly text: string;
  readonly target: string | null;
}

/** Returns a text in parts, each URL in one of its own. A mail links them, and its preview shows the same. */
export function linkedParts(text: string): LinkedPart[] {
  const parts: LinkedPart[] = [];
  let end = 0;
  for (const { 0: match, index } of text.matchAll(urls)) {
    const url = urlIn(match);
    const target = targetOf(url);
    if (target === null) continue;
    parts.push({ text: text.slice(end, index), target: null }, { text: url, target });
    end = index + url.length;
  }
  return [...parts, { text: text.slice(end), target: null }];
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

function targetOf(text: string): string | null {
  const url = parseUrl(text);
  return url?.protocol === "https:" || url?.protocol === "http:" ? url.href : null;
}
