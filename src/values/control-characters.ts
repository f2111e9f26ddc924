/**
 * The characters that are not seen themselves, but change what else is: controls of C0 and C1, with which terminals are steered,
 * the ends of lines and paragraphs, and what turns the order of a text around. Whoever writes such a text into a log could make
 * lines of it that nobody wrote.
 */
export const controlCharacters = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** A text in one line in which what is not seen stands as `\u001b`. */
export function escapeControls(text: string): string {
  return text.replace(controlCharacters, formatEscape);
}

/** JSON in which what is not seen stands as `\u009b`, which reads the same; the ends of its own lines stay. */
export function escapeControlsInJson(json: string): string {
  return json.replace(controlCharacters, (character) => (character < " " ? character : formatEscape(character)));
}

function formatEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
