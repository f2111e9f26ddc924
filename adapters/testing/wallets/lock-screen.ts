import type { ReadPass } from "./verified-pass.js";

interface Field {
  readonly key: string;
  readonly value: unknown;
  readonly changeMessage?: string;
}

/**
 * Returns the fields from all sections of a pass, keyed by field key.
 * @example
 * import { type FakeIPhone, fieldsOf } from "loyalty-kit/testing";
 *
 * const stampsOn = (phone: FakeIPhone) => [...phone.passes.values()].map((pass) => fieldsOf(pass).get("stamps")?.value);
 */
export function fieldsOf({ pass }: Pick<ReadPass, "pass">): Map<string, Field> {
  const style = pass.storeCard ?? pass.generic;
  const sections: readonly (readonly Field[])[] = Object.values(style ?? {});
  return new Map(sections.flat().map((field) => [field.key, field]));
}

/**
 * Returns the messages that a phone shows on its lock screen when it receives a new version of a pass. A changed field is announced
 * if it has a `changeMessage`, unless the field is new. If several such fields have changed, or if the `changeMessage` doesn't
 * contain `%@`, the phone says only that the pass has changed.
 * @param language the phone's language.
 * @throws if the pass's translations for that language can't be parsed.
 */
export function listLockScreenTexts(previous: ReadPass, after: ReadPass, language: string): string[] {
  const previousFields = fieldsOf(previous);
  const changedFields = [...fieldsOf(after).values()].filter(({ key, value, changeMessage }) => {
    const previousValue = previousFields.get(key)?.value;
    return changeMessage !== undefined && previousValue !== undefined && previousValue !== value;
  });
  const [first, ...others] = changedFields;
  if (first === undefined) return [];
  const message = first.changeMessage ?? "";
  if (others.length > 0 || !message.includes("%@")) return [generalText(after)];
  const value = localized(String(first.value), after, language);
  return [localized(message, after, language).replace("%@", () => value)];
}

/**
 * Returns the text that a phone shows to announce that a pass has changed, without saying what changed.
 *
 * @example
 * import { type FakeIPhone, generalText } from "loyalty-kit/testing";
 *
 * const hasAnnouncedChange = (phone: FakeIPhone) =>
 *   [...phone.passes.values()].some((pass) => phone.messages.includes(generalText(pass)));
 */
export function generalText({ pass }: Pick<ReadPass, "pass">): string {
  return pass.storeCard === undefined ? "Pass changed" : "Store card changed";
}

/**
 * Translates a string from a pass into a language. Returns the string unchanged if the pass has no translation for it.
 * @example
 * import { type FakeIPhone, localized } from "loyalty-kit/testing";
 *
 * const inGerman = (phone: FakeIPhone, text: string) =>
 *   [...phone.passes.values()].map((pass) => localized(text, pass, "de-AT"));
 */
export function localized(text: string, { files }: Pick<ReadPass, "files">, language: string): string {
  const subtags = language.split("-");
  for (; subtags.length > 0; subtags.pop()) {
    const strings = files.get(`${subtags.join("-")}.lproj/pass.strings`);
    if (strings !== undefined) return parseStrings(strings.toString()).get(text) ?? text;
  }
  return text;
}

const pairPattern = /"((?:[^"\\]|\\.)*)" = "((?:[^"\\]|\\.)*)";\n/gsy;

/**
 * Parses a `pass.strings` file, which maps strings to their translations.
 * @returns the translations, keyed by original string.
 * @throws if the file contains anything else.
 */
export function parseStrings(strings: string): ReadonlyMap<string, string> {
  const pairs = [...strings.matchAll(pairPattern)];
  if (pairs.map(([match]) => match).join("") !== strings) throw new Error("the strings file can't be parsed");
  return new Map(pairs.map(([, text = "", translated = ""]) => [unquote(text), unquote(translated)]));
}

function unquote(quoted: string): string {
  const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r" };
  return quoted.replaceAll(/\\(.)/gs, (_, escaped: string) => escapes[escaped] ?? escaped);
}
