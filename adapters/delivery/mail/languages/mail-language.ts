import { type Locale, pickLocale } from "../../languages/languages.js";
import { de } from "./de.js";
import { en } from "./en.js";
import { es } from "./es.js";
import { fr } from "./fr.js";
import { pt } from "./pt.js";
import type { MailTexts } from "./texts.js";

const mailTexts: Readonly<Record<string, MailTexts>> = { en, de, es, fr, pt };

/** A language with its UI text for both pages and emails. */
export interface MailLanguage extends Locale {
  readonly mail: MailTexts;
}

/** Returns the first supported language in the list, or English if none is supported. */
export function pickMailLanguage(preferred: readonly (string | null | undefined)[]): MailLanguage {
  const locale = pickLocale(preferred);
  return { ...locale, mail: mailTexts[locale.language] ?? en };
}
