/** Controls that change the direction of the text after them. */
const directions = /[\u202A-\u202E\u2066-\u2069]/gu;
const lineBreaks = /[\t\n\v\f\r\u0085\u2028\u2029]+/gu;
const controls = /\p{Cc}/gu;
const rightToLeft = /\p{Script=Arabic}|\p{Script=Hebrew}|\p{Script=Syriac}|\p{Script=Thaana}|\p{Script=Nko}/u;

/**
 * Matches text that mail programs turn into links and that doesn't occur in a person's name: parts of a URL, the digits of a phone
 * number, or the beginning of an encoded word (RFC 2047).
 */
const linkPattern = /[:/@\\]|[.\u3002][^\s.]{2}|(?:\p{Nd}[^\p{L}\p{Nd}]*){5}|(?:\p{Nd}+\.){3}\p{Nd}|=\?/u;

/** Characters that some mail programs drop before they look for links. */
const invisibleCharacters = /[\p{C}\p{Default_Ignorable_Code_Point}]/gu;

/** Matches a visible character. Text that consists only of spaces, controls and marks shows nothing. */
const visible = /[^\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u;

const MAX_NAME_LENGTH = 60;

/**
 * Prepares text written by customers or shops for use in an email. Puts the text on one line, and removes control characters. Also
 * removes `http://` and `https://` so that mail programs don't turn the text into a link.
 */
export function toDisplayText(text: string): string {
  return withoutGaps(withoutControls(text).replaceAll(/https?:\/\//giu, " "));
}

/** Puts text on one line and removes control characters. URLs stay intact. */
export function toDisplayLine(text: string): string {
  return withoutGaps(withoutControls(text));
}

/**
 * Puts a name on one line, for pages that ask the user whether to trust an app or person. Returns `null` if none of its characters
 * are visible.
 */
export function toVisibleName(name: string): string | null {
  const displayName = toDisplayLine(name);
  return visible.test(displayName) ? displayName : null;
}

function withoutControls(text: string): string {
  return text.replaceAll(lineBreaks, " ").replaceAll(controls, "").replaceAll(directions, "");
}

function withoutGaps(text: string): string {
  return text.replaceAll(/ {2,}/g, " ").trim();
}

/** Splits text into lines, prepares each line for use in an email like {@link toDisplayText}, and drops empty lines. */
export function toDisplayLines(text: string): string[] {
  return text
    .split(/\r\n|\n|\r/)
    .map(toDisplayText)
    .filter((line) => line !== "");
}

/** Matches an HTML tag. */
const tags = /<[a-z/!][^<>]*>/giu;

/**
 * Removes HTML tags from text for use in an email to someone who might not have written the text. Returns `null` if nothing visible
 * remains, or if mail programs would turn part of the text into a link.
 */
export function unlinkedText(text: string | null): string | null {
  const textWithoutTags = (text ?? "").replaceAll(tags, "");
  const displayed = toDisplayText(textWithoutTags);
  return visible.test(displayed) && !linkPattern.test(readText(textWithoutTags)) ? displayed : null;
}

/** Returns text the way link detectors read it: NFKC maps lookalike characters to the ones that a URL uses. */
function readText(text: string): string {
  return text.replaceAll(lineBreaks, " ").normalize("NFKC").replaceAll(invisibleCharacters, "");
}

/**
 * Returns a customer's name for an email greeting, without HTML tags. Returns `null` if there is no name, or if the name is too
 * long or looks like a link. Anyone can sign up with someone else's address, so the name can't be trusted.
 */
export function greetingName(name: string | null): string | null {
  const displayed = unlinkedText(name);
  return displayed !== null && [...displayed].length <= MAX_NAME_LENGTH ? displayed : null;
}

/** Wraps right-to-left text in bidirectional isolates so that it doesn't reorder the plain text around it. */
export function isolateBidi(text: string): string {
  return rightToLeft.test(text) ? `\u2068${text}\u2069` : text;
}

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

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes text for use in HTML or XML, both in element content and in quoted attributes. */
export function escapeMarkup(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}
