import { language as own } from "../words/en/forms.js";

/** Languages that have preset texts for customers. */
const presetLanguages = ["en", "de"] as const;

export type PresetLanguage = (typeof presetLanguages)[number];

/** Sources for the language of a new text for customers. */
interface LanguageSources {
  /** The template the text is for. */
  readonly template: CardTexts | undefined;
  /** The shop's language from the settings, or `null` if it isn't set or the user may not read it. */
  readonly shop: string | null;
}

interface CardTexts {
  readonly design: { readonly texts: readonly { readonly language: string }[] } | null;
}

const listLanguages = ({ template, shop }: LanguageSources): readonly string[] =>
  [template?.design?.texts[0]?.language, shop, own].filter((each) => typeof each === "string");

/**
 * Returns the language for new customer-facing text: the card's first language, falling back to the shop's language and then to the
 * console's.
 */
export function pickDefaultLanguage(sources: LanguageSources): string {
  return listLanguages(sources)[0] ?? own;
}

/**
 * Returns the language for preset text: the first of the card's, the shop's, and the console's language that has preset text. Falls
 * back to English.
 */
export function pickPresetLanguage(sources: LanguageSources): PresetLanguage {
  const subtags = listLanguages(sources).map((each) => each.toLowerCase().split("-", 1)[0]);
  const matches = subtags.flatMap((subtag) => presetLanguages.filter((each) => each === subtag));
  return matches[0] ?? "en";
}
