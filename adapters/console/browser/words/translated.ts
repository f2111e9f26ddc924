/**
 * The type of a translation: the same names as the English words, texts for texts, and functions with the same parameters. The
 * compiler reports a missing word, and a word that English no longer has.
 */
export type Translated<Words> = Words extends string
  ? string
  : Words extends (...values: infer Values) => string
    ? (...values: Values) => string
    : { readonly [Name in keyof Words]: Translated<Words[Name]> };
