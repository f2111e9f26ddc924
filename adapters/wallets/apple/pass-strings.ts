/** Makes the key of a text that another place has with another translation unique. It is invisible. */
const MARK = "\u2060";

/**
 * The strings of a pass. A phone looks up each text of `pass.json` in the strings of its language. The key of a text is the text in
 * the default language, for phones whose language the pass doesn't have. If two places have one text with different translations,
 * the later one gets its own key.
 */
export class PassStrings {
  /** The translations of each key, in the order of the languages. */
  private readonly translations = new Map<string, readonly string[]>();

  constructor(private readonly languages: readonly string[]) {}

  /**
   * Returns the key of a text.
   * @param text in the default language.
   * @param others in the other languages; none for a text that is the same in all of them.
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

  /** The texts by their keys, for each language; none where there is one language. */
  byLanguage(): ReadonlyMap<string, ReadonlyMap<string, string>> {
    // Without strings for the default language, its phones would use another language.
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
