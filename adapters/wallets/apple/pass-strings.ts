/** An invisible character that makes a key unique if the same text has another translation elsewhere. */
const MARK = "\u2060";

/**
 * The translated strings of a pass. Phones use each text in `pass.json` as a key to look up its translation. The key is the text in
 * the default language, which phones show if the pass isn't translated into their language. If the same text appears twice with
 * different translations, the second occurrence gets a different key.
 */
export class PassStrings {
  /** Translations keyed by string key, in the order of the languages. */
  private readonly translations = new Map<string, readonly string[]>();

  constructor(private readonly languages: readonly string[]) {}

  /**
   * Returns the key for a text, and stores the text's translations.
   * @param text the text in the default language.
   * @param others the text in each of the other languages. Default: the same text in every language.
   */
  key(text: string, others: readonly string[] = this.languages.slice(1).map(() => text)): string {
    const translations = [text, ...others];
    let key = text;
    for (let known = this.translations.get(key); known !== undefined; known = this.translations.get(key)) {
      if (known.every((translation, at) => translation === translations[at])) return key;
      key += MARK;
    }
    this.translations.set(key, translations);
    return key;
  }

  /** Returns the translations for each language, keyed by string key. Returns an empty map if there is only one language. */
  byLanguage(): ReadonlyMap<string, ReadonlyMap<string, string>> {
    // Without strings for the default language, phones in that language would choose another one.
    if (this.languages.length === 1) return new Map();
    const entries = [...this.translations];
    return new Map(
      this.languages.map((language, at) => [
        language,
        new Map(entries.map(([key, translations]) => [key, translations[at] ?? key])),
      ]),
    );
  }
}
