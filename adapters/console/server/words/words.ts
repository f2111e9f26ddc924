import type { Language } from "../language.js";
import { de } from "./de.js";
import { en, type Words } from "./en.js";

/** The words of the server's own pages, by language. */
export const wordsIn: Readonly<Record<Language, Words>> = { en, de };
