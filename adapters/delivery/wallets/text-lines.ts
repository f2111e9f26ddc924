/** The area for a text: its width and font size in points, and its maximum number of lines. */
interface TextBox {
  readonly width: number;
  readonly size: number;
  readonly maxLines: number;
  /** Whether the text is bold, which makes letters wider. */
  readonly isBold?: boolean;
}

const BOLD_WIDTH_FACTOR = 1.14;

const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" });

/**
 * Wraps text into lines, breaking between words where possible. The actual font is unknown, so letter widths are estimated for a
 * wide font. Text that doesn't fit is truncated with an ellipsis.
 */
export function wrapLines(
  text: string,
  { width, size, maxLines, isBold = false }: TextBox,
): readonly string[] {
  const maxWidth = width / size / (isBold ? BOLD_WIDTH_FACTOR : 1);
  const lines: string[] = [];
  let remaining = text.replaceAll(/\s+/gu, " ").trim();
  while (remaining !== "" && lines.length < maxLines) {
    const isLast = lines.length === maxLines - 1;
    const firstLine = cutText(remaining, maxWidth);
    if (firstLine.length === remaining.length) return [...lines, remaining];
    if (isLast) return [...lines, `${cutText(remaining, maxWidth - 1).trimEnd()}…`];
    const space = remaining[firstLine.length] === " " ? firstLine.length : firstLine.lastIndexOf(" ");
    const end = space > 0 ? space : firstLine.length;
    lines.push(remaining.slice(0, end));
    remaining = remaining.slice(end).trimStart();
  }
  return lines;
}

/** Returns the longest start of a text that fits, in whole graphemes, but at least one. */
function cutText(text: string, maxWidth: number): string {
  let end = 0;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) {
    width += measureWidth(segment);
    if (width > maxWidth && end > 0) break;
    end += segment.length;
  }
  return text.slice(0, end);
}

/** Estimates a letter's width, relative to the font size. */
function measureWidth(grapheme: string): number {
  if (/^[ijlI'.,:;|!()[\]ftr -]/u.test(grapheme)) return 0.36;
  if (/^[mwMW@%]/u.test(grapheme)) return 0.92;
  if (/^[\p{Lu}&]/u.test(grapheme)) return 0.7;
  if (
    /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Extended_Pictographic}]/u.test(
      grapheme,
    )
  )
    return 1.25;
  return 0.61;
}
