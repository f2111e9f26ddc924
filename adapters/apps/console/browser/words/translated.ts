/**
 * The type of a translation of some UI text. A translation must have the same keys as the English text, and each value must be a
 * string or a function with the same parameters. This lets the compiler report text that is missing from a translation, or that no
 * longer exists in English.
 */
export type Translated<Words> = Words extends string
  ? string
  : Words extends (...values: infer Values) => string
    ? (...values: Values) => string
    : { readonly [Name in keyof Words]: Translated<Words[Name]> };
