import { acceptedLanguages } from "../../http/request/accepted-languages.js";
import { de } from "./de.js";
import { en } from "./en.js";
import { es } from "./es.js";
import { fr } from "./fr.js";
import { pt } from "./pt.js";
import type { PluralText, Texts } from "./texts.js";

const languages: ReadonlyMap<string, Texts> = new Map([
  ["en", en],
  ["de", de],
  ["fr", fr],
  ["es", es],
  ["pt", pt],
]);

/** A language with its texts. */
export interface Locale {
  /** Such as `de`. */
  readonly language: string;
  readonly texts: Texts;
}

/**
 * Returns the language that a browser prefers among those that there are.
 * @param accepted the `Accept-Language` header (RFC 9110, section 12.5.4), or `null` if it was not sent.
 * @param otherwise the language when it accepts none of them; English where there is none either.
 */
export function localeFor(accepted: string | null, otherwise: string | null = null): Locale {
  for (const language of acceptedLanguages(accepted)) {
    const texts = languages.get(language);
    if (texts !== undefined) return { language, texts };
  }
  return pickLocale([otherwise]);
}

/**
 * Returns the first of the languages that there are texts in, each looked up as RFC 4647, section 3.4 says: `de-AT` finds
 * `de`. English when there is none of them.
 */
export function pickLocale(wanted: readonly (string | null | undefined)[]): Locale {
  for (const each of wanted) {
    const subtags = (each ?? "").toLowerCase().split("-");
    for (; subtags.length > 0; subtags.pop()) {
      const language = subtags.join("-");
      const texts = languages.get(language);
      if (texts !== undefined) return { language, texts };
    }
  }
  return { language: "en", texts: en };
}

/** Returns the locale of a language such as `de`; `null` for one that there is not. */
export function findLocale(language: string | null): Locale | null {
  const texts = languages.get(language ?? "");
  return texts === undefined || language === null ? null : { language, texts };
}

/** Returns a sentence with a number, in the plural form of the language. */
export function formatPlural({ language }: Locale, sentence: PluralText, count: number): string {
  const isOne = new Intl.PluralRules(language).select(count) === "one";
  return filled(isOne ? sentence.one : sentence.other, { count: String(count) });
}

/** Says what a full card earns, in the words of the shop. */
export function earnedText({ texts }: Locale, reward: string): string {
  return filled(texts.earns, { reward });
}

/** Returns a sentence with values in the places of their names. */
export function filled(sentence: string, values: Readonly<Record<string, string>>): string {
  return sentence.replaceAll(/\{(\w+)\}/g, (place, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? place) : place,
  );
}
