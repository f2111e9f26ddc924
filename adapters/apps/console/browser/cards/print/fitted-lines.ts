import { wrapLines } from "../../../../../delivery/wallets/text-lines.js";

/** The space available for a text, in millimeters, with its maximum and minimum font size. */
interface TextArea {
  readonly width: number;
  readonly height: number;
  readonly largest: number;
  readonly smallest: number;
  readonly isStrong?: boolean;
}

/** Text broken into lines, with the font size at which they fit. */
export interface FittedLines {
  readonly lines: readonly string[];
  readonly size: number;
  readonly height: number;
}

/** Line height, as a multiple of the font size. */
export const LEADING = 1.18;

const SMALLER = 0.94;

/** Scripts without spaces between words, in which lines may break anywhere. */
const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u;

/**
 * Breaks text into lines at the largest font size at which all of it fits without breaking words. If the text doesn't fit even at
 * the minimum size, words can be broken and the end can be truncated.
 */
export function fitLines(
  text: string,
  { width, height, largest, smallest, isStrong: isBold = false }: TextArea,
): FittedLines {
  const normalized = text.replaceAll(/\s+/gu, " ").trim();
  for (let size = largest; ; size *= SMALLER) {
    const maxLines = Math.max(1, Math.floor(height / (size * LEADING)));
    const lines = wrapLines(normalized, { width, size, maxLines, isBold });
    if (size * SMALLER < smallest || containsWholeText(normalized, lines)) {
      return { lines, size, height: lines.length * size * LEADING };
    }
  }
}

function containsWholeText(normalized: string, lines: readonly string[]): boolean {
  if (lines.join(" ") === normalized) return true;
  return unspaced.test(normalized) && lines.join("").replaceAll(" ", "") === normalized.replaceAll(" ", "");
}
