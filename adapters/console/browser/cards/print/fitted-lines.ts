import { wrapLines } from "../../../../wallets/text-lines.js";

/** The room of a text in millimeters, and the largest and the smallest size that it may have. */
interface Room {
  readonly width: number;
  readonly height: number;
  readonly largest: number;
  readonly smallest: number;
  readonly isStrong?: boolean;
}

/** The lines of a text in the size that it has in its room. */
export interface FittedLines {
  readonly lines: readonly string[];
  readonly size: number;
  readonly height: number;
}

/** From one line to the next, in sizes. */
export const LEADING = 1.18;

const SMALLER = 0.94;

/** Scripts that put no spaces between words break anywhere. */
const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u;

/** Returns a text as large as it fits into its room, in whole words. In its smallest size words break, and its end is left out. */
export function fittedLines(
  text: string,
  { width, height, largest, smallest, isStrong = false }: Room,
): FittedLines {
  const whole = text.replaceAll(/\s+/gu, " ").trim();
  for (let size = largest; ; size *= SMALLER) {
    const most = Math.max(1, Math.floor(height / (size * LEADING)));
    const lines = wrapLines(whole, { width, size, most, isStrong });
    if (size * SMALLER < smallest || isAll(whole, lines)) {
      return { lines, size, height: lines.length * size * LEADING };
    }
  }
}

function isAll(whole: string, lines: readonly string[]): boolean {
  if (lines.join(" ") === whole) return true;
  return unspaced.test(whole) && lines.join("").replaceAll(" ", "") === whole.replaceAll(" ", "");
}
