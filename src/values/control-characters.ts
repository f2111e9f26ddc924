/**
 * Invisible characters that change how other text appears: C0 and C1 controls, which can steer terminals; line and paragraph
 * separators; and bidirectional controls. In a log they could be used to forge lines.
 */
export const controlCharacters = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** Returns the text on one line, with invisible characters escaped like `\u001b`. */
export function escapeControls(text: string): string {
  return text.replace(controlCharacters, formatEscape);
}

/** Escapes invisible characters in JSON like `\u009b`, which parses to the same value. Line breaks between tokens stay. */
export function escapeControlsInJson(json: string): string {
  return json.replace(controlCharacters, (character) =>
    character < " " ? character : formatEscape(character),
  );
}

function formatEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
