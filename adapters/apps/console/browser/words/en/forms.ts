import { browserLocale, createForms } from "../forms.js";

const forms = createForms(browserLocale("en"));

export const { locale, language, numberText, dayText, momentText, moneyText, pluralOf } = forms;

/**
 * Formats a number with a noun, such as "1 stamp" or "2 stamps".
 * @param many the noun's plural form. Default: `one` followed by "s".
 */
export const countText = (count: number, one: string, many = `${one}s`): string =>
  forms.countText(count, one, many);

/** Puts quotation marks around a name, such as “Coffee”. */
export const quoted = (name: string): string => `“${name}”`;
