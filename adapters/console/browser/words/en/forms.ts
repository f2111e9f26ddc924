import { browserLocale, createForms } from "../forms.js";

const forms = createForms(browserLocale("en"));

export const { language, numberText, dayText, momentText, pluralOf } = forms;

/** 1 stamp, 2 stamps */
export const countText = (count: number, one: string, many = `${one}s`): string =>
  forms.countText(count, one, many);

/** “Coffee” */
export const quoted = (name: string): string => `“${name}”`;
