/**
 * Matches invisible characters that change how other text is displayed: line and paragraph separators, bidirectional controls, and
 * C0 and C1 controls, which can contain terminal escape sequences. An attacker could use them to forge log lines.
 */
export const controlCharacters = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** Escapes invisible characters and line breaks, for example as `\u001b`, to keep the text on one line. */
export function escapeControls(text: string): string {
  return text.replace(controlCharacters, formatEscape);
}

/**
 * Escapes invisible characters in JSON text, for example as `\u009b`. The result parses to the same value. Line breaks between
 * tokens are kept.
 */
export function escapeControlsInJson(json: string): string {
  return json.replace(controlCharacters, (character) =>
    character < " " ? character : formatEscape(character),
  );
}

function formatEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
