import * as z from "zod";
import { languageText } from "../base/fields/language.js";
import { limitedList } from "../base/fields/limited-list.js";
import { multilineText, singleLineText } from "../base/fields/text.js";
import { greetingName } from "../base/values/display-text.js";
import {
  findPlaceholderNames,
  isPlaceholder,
  type PlaceholderValues,
  placeholders,
} from "../base/values/placeholders.js";
import { countCodePoints } from "../base/values/text.js";
import type { Template } from "../cards/schema.js";
import type { StampCard } from "../cards/stamps-schema.js";
import type { PointCard } from "../points/schema.js";

const MAX_TEXTS = 20;
const MAX_LINE_LENGTH = 150;
const MAX_TEXT_LENGTH = 20_000;
/** Maximum number of characters in all texts together, so that they fit into a request even at four bytes per character. */
const MAX_TOTAL_LENGTH = 200_000;

const placeholderList = placeholders.map((name) => `{${name}}`).join(" ");

/** Rejects unknown placeholders, which customers would otherwise see in the text. */
function rejectUnknownPlaceholders<S extends z.ZodType<string, string>>(schema: S) {
  return schema.superRefine((value, context) => {
    const unknownName = findPlaceholderNames(value).find((name) => !isPlaceholder(name));
    if (unknownName === undefined) return;
    const message = `has the unknown placeholder {${unknownName.slice(0, 50)}}: use ${placeholderList}`;
    context.addIssue({ code: "custom", message });
  });
}

const textSchema = z.object({
  language: languageText,
  wallet: rejectUnknownPlaceholders(singleLineText(MAX_LINE_LENGTH)).nullish(),
  subject: rejectUnknownPlaceholders(singleLineText(MAX_LINE_LENGTH)).nullish(),
  text: rejectUnknownPlaceholders(multilineText(MAX_TEXT_LENGTH)).nullish(),
});

/**
 * The schema for a message's texts. There must be at least one text and at most one per language. Customers whose language has no
 * text receive the first one. Length limits apply before placeholders are filled in.
 */
export const messageTexts = limitedList(textSchema, MAX_TEXTS)
  .superRefine((texts, context) => {
    const languages = texts.map(({ language }) => language);
    const duplicateIndex = languages.findIndex((language, index) => languages.indexOf(language) < index);
    if (duplicateIndex >= 0)
      context.addIssue({ code: "custom", path: [duplicateIndex, "language"], message: "is given twice" });
    // Texts that are too long have already been reported individually.
    if (context.issues.length > 0) return;
    const allTexts = texts.flatMap(({ wallet, subject, text }) => [wallet ?? "", subject ?? "", text ?? ""]);
    if (allTexts.reduce((sum, text) => sum + countCodePoints(text), 0) > MAX_TOTAL_LENGTH)
      context.addIssue({ code: "custom", message: `must be at most ${MAX_TOTAL_LENGTH} characters in all` });
  })
  .transform((texts) =>
    texts.map(({ language, wallet = null, subject = null, text = null }) => {
      return { language, wallet, subject, text };
    }),
  );

export const wireMessageText = z.object({
  language: z.string(),
  wallet: z.string().nullable(),
  subject: z.string().nullable(),
  text: z.string().nullable(),
});

/**
 * Returns the placeholder values for a message to a customer. A name that email programs would turn into a link is omitted.
 * Otherwise, anyone could sign up with a link as their name and another person's address, and the organization's emails would
 * deliver that link to that person.
 * @param template the template that the message is about, or `null` if there is none.
 * @param stamps the stamps on the customer's card for this template, or `null` if the customer has no card.
 * @param points the points on that card, or `null` if it has none.
 */
export function buildPlaceholderValues(
  name: string | null,
  template: Pick<Template, "name" | "maxStamps"> | null,
  stamps: Pick<StampCard, "currentStamps" | "maxStamps" | "rewardsAvailable"> | null,
  points: Pick<PointCard, "available"> | null,
): PlaceholderValues {
  const max = stamps?.maxStamps ?? template?.maxStamps ?? 0;
  return {
    name: greetingName(name),
    card: template?.name ?? null,
    stamps: stamps?.currentStamps ?? 0,
    toGo: max - (stamps?.currentStamps ?? 0),
    rewards: stamps?.rewardsAvailable ?? 0,
    points: points?.available ?? 0,
  };
}

/**
 * Chooses the text to send for a customer's language. Falls back to progressively shorter language tags (RFC 4647, section 3.4),
 * and finally to the first text.
 * @param texts the message's texts. There must be at least one.
 * @param language a BCP 47 tag, or `null` if the customer's language is unknown.
 */
export function chooseText<Text extends { readonly language: string }>(
  texts: readonly Text[],
  language: string | null,
): Text {
  const [first] = texts;
  if (first === undefined) throw new TypeError("a message has at least one text");
  for (let range = language?.toLowerCase() ?? ""; range !== ""; range = shortenRange(range)) {
    const match = texts.find((text) => text.language.toLowerCase() === range);
    if (match !== undefined) return match;
  }
  return first;
}

/** Removes the last part of a language range, and a preceding part that is a single letter or digit. */
function shortenRange(range: string): string {
  const parts = range.split("-").slice(0, -1);
  return parts.slice(0, parts.at(-1)?.length === 1 ? -1 : undefined).join("-");
}
