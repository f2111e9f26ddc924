import { browserLocale, createForms } from "../forms.js";

const forms = createForms(browserLocale("en"));

export const { locale, language, numberText, dayText, momentText, pluralOf } = forms;

/** Such as "1 stamp" or "2 stamps". */
export const countText = (count: number, one: string, many = `${one}s`): string =>
  forms.countText(count, one, many);

/** Encloses a name in quotation marks, such as “Coffee”. */
export const quoted = (name: string): string => `“${name}”`;
