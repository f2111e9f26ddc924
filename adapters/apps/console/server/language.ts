import type { HttpRequest } from "../../../http/index.js";
import { parseAcceptedLanguages } from "../../../http/request/accepted-languages.js";
import { getHeaderValue } from "../../../http/request/http-message.js";

/** Languages that the console is available in. */
export const languages = ["en", "de"] as const;

export type Language = (typeof languages)[number];

const isLanguage = (text: string | null): text is Language => languages.some((each) => each === text);

/** Returns the browser's most preferred language among those that the console supports, or English if it supports none of them. */
export function negotiateLanguage({ headers }: Pick<HttpRequest, "headers">): Language {
  return parseAcceptedLanguages(getHeaderValue(headers, "accept-language")).find(isLanguage) ?? "en";
}

/** Returns the console language with the given code, or English if there is no such language. */
export function parseLanguage(name: string | null): Language {
  return isLanguage(name) ? name : "en";
}
