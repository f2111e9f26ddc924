import type { Language } from "../language.js";
import { de } from "./de.js";
import { en, type Words } from "./en.js";

/** UI text for the server-rendered pages, keyed by language. */
export const wordsIn: Readonly<Record<Language, Words>> = { en, de };
