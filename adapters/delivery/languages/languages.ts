import { parseAcceptedLanguages } from "../../http/request/accepted-languages.js";
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

/** A language and its UI text. */
export interface Locale {
  /** The language tag, such as `de`. */
  readonly language: string;
  readonly texts: Texts;
}

/**
 * Returns the locale for the browser's most preferred supported language.
 * @param accepted the value of the `Accept-Language` header (RFC 9110, section 12.5.4), or `null` if the header is missing.
 * @param fallback the language to use if the browser accepts none of the supported languages. If it isn't supported either, the
 *   locale is English.
 */
export function negotiateLocale(accepted: string | null, fallback: string | null = null): Locale {
  for (const language of parseAcceptedLanguages(accepted)) {
    const texts = languages.get(language);
    if (texts !== undefined) return { language, texts };
  }
  return pickLocale([fallback]);
}

/**
 * Returns the locale for the first supported language in the list, or English if none is supported. A more specific tag falls back
 * to a more general one (RFC 4647, section 3.4), so `de-AT` matches `de`.
 */
export function pickLocale(preferred: readonly (string | null | undefined)[]): Locale {
  for (const each of preferred) {
    const subtags = (each ?? "").toLowerCase().split("-");
    for (; subtags.length > 0; subtags.pop()) {
      const language = subtags.join("-");
      const texts = languages.get(language);
      if (texts !== undefined) return { language, texts };
    }
  }
  return { language: "en", texts: en };
}

/** Returns the locale whose language tag matches exactly, such as `de`, or `null` if the language isn't supported. */
export function findLocale(language: string | null): Locale | null {
  const texts = languages.get(language ?? "");
  return texts === undefined || language === null ? null : { language, texts };
}

/** Returns the sentence in the plural form for the count, with the count inserted. */
export function formatPlural({ language }: Locale, sentence: PluralText, count: number): string {
  const isOne = new Intl.PluralRules(language).select(count) === "one";
  return fillPlaceholders(isOne ? sentence.one : sentence.other, { count: String(count) });
}

/**
 * Returns the sentence that describes a full card's reward.
 * @param reward the reward in the shop's own words.
 */
export function formatReward({ texts }: Locale, reward: string): string {
  return fillPlaceholders(texts.earns, { reward });
}

/** Replaces each `{name}` placeholder with its value. Leaves placeholders without a value unchanged. */
export function fillPlaceholders(sentence: string, values: Readonly<Record<string, string>>): string {
  return sentence.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? placeholder) : placeholder,
  );
}
