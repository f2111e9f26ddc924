import { de } from "./de.js";
import { en } from "./en.js";
import { es } from "./es.js";
import { fr } from "./fr.js";
import { pt } from "./pt.js";
import type { Counted, Texts } from "./texts.js";

const languages: ReadonlyMap<string, Texts> = new Map([
  ["en", en],
  ["de", de],
  ["fr", fr],
  ["es", es],
  ["pt", pt],
]);

/** A language, and what is said in it. */
export interface Spoken {
  /** Such as `de`. */
  readonly language: string;
  readonly texts: Texts;
}

const MAX_WISHES = 20;

/**
 * The language that a browser wishes for most, of those that there are; English when it wishes for none of them.
 * @param accepted the `Accept-Language` header (RFC 9110, section 12.5.4), or `null` when it was not sent.
 */
export function spokenFor(accepted: string | null): Spoken {
  const wishes = (accepted ?? "")
    .split(",", MAX_WISHES)
    .map((wish) => {
      const [range = "", ...parameters] = wish.split(";");
      const quality = parameters.map((text) => /^\s*q=([0-9.]{1,5})\s*$/i.exec(text)?.[1]).find(Boolean);
      return { language: range.trim().toLowerCase().split("-", 1)[0] ?? "", quality: Number(quality ?? 1) };
    })
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality);
  for (const { language } of wishes) {
    const texts = languages.get(language);
    if (texts !== undefined) return { language, texts };
  }
  return { language: "en", texts: en };
}

/** A sentence with its number, in the form that the language has for it. */
export function counted({ language }: Spoken, sentence: Counted, count: number): string {
  const isOne = new Intl.PluralRules(language).select(count) === "one";
  return filled(isOne ? sentence.one : sentence.other, { count: String(count) });
}

/** A sentence with texts in the places of their names. */
export function filled(sentence: string, values: Readonly<Record<string, string>>): string {
  return sentence.replaceAll(/\{(\w+)\}/g, (place, name: string) => values[name] ?? place);
}
