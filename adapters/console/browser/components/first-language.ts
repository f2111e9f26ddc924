import { language as own } from "../words/en/forms.js";

/** The languages in which there are ready-made texts for customers. */
const readyLanguages = ["en", "de"] as const;

export type PresetLanguage = (typeof readyLanguages)[number];

/** Where the language of a new text for customers is looked for. */
interface FirstLanguage {
  /** The card that it is about. */
  readonly template: CardTexts | undefined;
  /** The language of the shop in the settings; `null` if none is set, or it may not be seen. */
  readonly shop: string | null;
}

interface CardTexts {
  readonly design: { readonly texts: readonly { readonly language: string }[] } | null;
}

const listLanguages = ({ template, shop }: FirstLanguage): readonly string[] =>
  [template?.design?.texts[0]?.language, shop, own].filter((each) => typeof each === "string");

/** Returns the language for a new text to customers: the card's, else the shop's, else the console's. */
export function defaultLanguage(known: FirstLanguage): string {
  return listLanguages(known)[0] ?? own;
}

/** Returns the first of these languages in which there are ready-made texts. */
export function presetLanguage(known: FirstLanguage): PresetLanguage {
  const subtags = listLanguages(known).map((each) => each.toLowerCase().split("-", 1)[0]);
  const found = subtags.flatMap((subtag) => readyLanguages.filter((each) => each === subtag));
  return found[0] ?? "en";
}
