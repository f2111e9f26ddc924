import type { HttpRequest } from "../../http/index.js";
import { acceptedLanguages } from "../../http/request/accepted-languages.js";
import { headerValue } from "../../http/request/http-message.js";

/** The languages of the console. */
export const languages = ["en", "de"] as const;

export type Language = (typeof languages)[number];

const isLanguage = (text: string | null): text is Language => languages.some((each) => each === text);

/** Returns the browser's preferred language that the console has. Default: English. */
export function negotiateLanguage({ headers }: Pick<HttpRequest, "headers">): Language {
  return acceptedLanguages(headerValue(headers, "accept-language")).find(isLanguage) ?? "en";
}

/** Returns the language of this name; English when there is none. */
export function parseLanguage(name: string | null): Language {
  return isLanguage(name) ? name : "en";
}
