/**
 * The form of a translation: the same names as the English words have, texts for texts, and for functions those with the
 * same parameters. A word that is missing, or that there is no more, is an error of the compiler.
 */
export type Translated<Words> = Words extends string
  ? string
  : Words extends (...values: infer Values) => string
    ? (...values: Values) => string
    : { readonly [Name in keyof Words]: Translated<Words[Name]> };
