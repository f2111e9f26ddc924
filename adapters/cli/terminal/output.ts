/** Where a command writes. Each call writes one line. */
export interface Output {
  /** Results, for people and pipes: standard output. */
  result(line: string): void;
  /** Everything else: standard error. */
  note(line: string): void;
}

/** Text from a database or an error as one line that can't move the cursor, colour the terminal or turn what is around it. */
export function oneLine(text: string): string {
  return text
    .replace(/\p{Bidi_Control}+/gu, "")
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .trim();
}
