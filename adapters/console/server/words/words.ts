import type { Language } from "../language.js";
import { de } from "./de.js";
import { en, type Words } from "./en.js";

/** What the server says itself, by the language. */
export const wordsIn: Readonly<Record<Language, Words>> = { en, de };
