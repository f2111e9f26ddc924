/** Controls that turn the direction of all that follows them. */
const directions = /[\u202A-\u202E\u2066-\u2069]/gu;
const breaks = /[\t\n\v\f\r\u0085\u2028\u2029]+/gu;
const controls = /\p{Cc}/gu;
const rightToLeft = /\p{Script=Arabic}|\p{Script=Hebrew}|\p{Script=Syriac}|\p{Script=Thaana}|\p{Script=Nko}/u;

/**
 * Matches parts that mail programs turn into links and that no person's name has: parts of a URL, the digits of a phone number, or
 * the beginning of an encoded word (RFC 2047).
 */
const linkable = /[:/@\\]|[.\u3002][^\s.]{2}|(?:\p{Nd}[^\p{L}\p{Nd}]*){5}|(?:\p{Nd}+\.){3}\p{Nd}|=\?/u;

/** Some programs for mail leave it out before they look for links. */
const unseen = /[\p{C}\p{Default_Ignorable_Code_Point}]/gu;

/** A text of blanks, controls and marks alone shows nothing. */
const visible = /[^\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u;

const MAX_NAME_LENGTH = 60;

/**
 * Returns a text that customers or shops wrote as it stands in a mail: on one line, without controls, and without what would
 * make a URL of it.
 */
export function toDisplayText(text: string): string {
  return withoutGaps(withoutControls(text).replaceAll(/https?:\/\//giu, " "));
}

/** Returns a text on one line, without controls. A URL in it stays one. */
export function toDisplayLine(text: string): string {
  return withoutGaps(withoutControls(text));
}

/** Returns a name on one line as a page shows it that asks whether to trust who bears it; `null` if nothing would be seen. */
export function toVisibleName(name: string): string | null {
  const shown = toDisplayLine(name);
  return visible.test(shown) ? shown : null;
}

function withoutControls(text: string): string {
  return text.replaceAll(breaks, " ").replaceAll(controls, "").replaceAll(directions, "");
}

function withoutGaps(text: string): string {
  return text.replaceAll(/ {2,}/g, " ").trim();
}

/** Returns the lines of a text as they stand in a mail. */
export function toDisplayLines(text: string): string[] {
  return text
    .split(/\r\n|\n|\r/)
    .map(toDisplayText)
    .filter((line) => line !== "");
}

/** A tag of HTML. */
const tags = /<[a-z/!][^<>]*>/giu;

/**
 * Returns a text as it stands in a mail to an address that may be a stranger's, without tags of HTML. `null` for one that shows nothing,
 * or that programs for mail would make a link of.
 */
export function unlinkedText(text: string | null): string | null {
  const untagged = (text ?? "").replaceAll(tags, "");
  const shown = toDisplayText(untagged);
  return visible.test(shown) && !linkable.test(readText(untagged)) ? shown : null;
}

/** Returns a text as programs read it that look for links: letters that stand for others in a URL are those. */
function readText(text: string): string {
  return text.replaceAll(breaks, " ").normalize("NFKC").replaceAll(unseen, "");
}

/**
 * Returns the name for the greeting of a mail, without HTML tags. `null` without a name, and for a text that is not a name, because
 * anyone may sign up with another person's address and a link in place of the name.
 */
export function greetingName(name: string | null): string | null {
  const shown = unlinkedText(name);
  return shown !== null && [...shown].length <= MAX_NAME_LENGTH ? shown : null;
}

/** Returns a text that is written from right to left so that it keeps its order to itself in a plain text. */
export function isolateBidi(text: string): string {
  return rightToLeft.test(text) ? `\u2068${text}\u2069` : text;
}
