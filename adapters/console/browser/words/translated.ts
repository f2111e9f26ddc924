/**
 * The type of a translation. It has the same keys as the English texts, strings for strings, and functions with the same
 * parameters. The compiler reports missing texts, and texts that no longer exist in English.
 */
export type Translated<Words> = Words extends string
  ? string
  : Words extends (...values: infer Values) => string
    ? (...values: Values) => string
    : { readonly [Name in keyof Words]: Translated<Words[Name]> };
