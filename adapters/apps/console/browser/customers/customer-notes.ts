import type { JsonValue, Metadata } from "../../../../../src/base/fields/metadata.js";
import { notes as words } from "../words/en/customer.js";
import { momentText } from "../words/en/forms.js";

/** A name and text from a customer's metadata, displayed as a note. */
export type Note = readonly [name: string, text: string];

/** Flattens a customer's metadata into notes for display. Each note's name contains all keys on the path to its value. */
export function listNotes(metadata: Metadata): readonly Note[] {
  return Object.entries(metadata).flatMap(
    ([key, value]) => listConsentNotes(key, value) ?? listNoteLines(key, value),
  );
}

/** Returns notes about the consent that the sign-up page recorded, or `null` for any other metadata. */
function listConsentNotes(key: string, value: JsonValue): readonly Note[] | null {
  if (key !== "join" || !isTree(value)) return null;
  const { consent, consentedAt }: Partial<Record<string, JsonValue>> = Object.fromEntries(
    Object.entries(value),
  );
  if (typeof consent !== "string" || typeof consentedAt !== "string") return null;
  if (Number.isNaN(Date.parse(consentedAt))) return null;
  return [
    [words.agreed, consent],
    [words.joined, momentText(consentedAt)],
  ];
}

function listNoteLines(name: string, value: JsonValue): readonly Note[] {
  if (!isTree(value)) return [[name, describeValue(value)]];
  const entries: readonly (readonly [string, JsonValue])[] = Object.entries(value);
  if (entries.length === 0) return [[name, words.empty]];
  if (Array.isArray(value) && !value.some(isTree)) return [[name, value.map(describeValue).join(", ")]];
  return entries.flatMap(([key, inner]) => listNoteLines(`${name} · ${key}`, inner));
}

const isTree = (value: JsonValue): value is Exclude<JsonValue, string | number | boolean | null> =>
  typeof value === "object" && value !== null;

function describeValue(value: JsonValue): string {
  if (typeof value === "boolean") return value ? words.yes : words.no;
  return value === null ? words.nothing : String(value);
}
