import * as z from "zod";
import { languageText } from "../base/fields/language.js";
import { limitedList } from "../base/fields/limited-list.js";
import { multilineText, singleLineText } from "../base/fields/text.js";
import { findPlaceholderNames, isPlaceholder, placeholders } from "../base/values/placeholders.js";
import { countCodePoints } from "../base/values/text.js";

const MAX_TEXTS = 20;
const MAX_LINE = 150;
const MAX_TEXT = 20_000;
/** Maximum number of characters in all texts together, so that they fit into a request even at four bytes per character. */
const MAX_SUM = 200_000;

const placeholderList = placeholders.map((name) => `{${name}}`).join(" ");

/** Rejects unknown placeholders, which customers would otherwise see in the text. */
function withPlaceholders<S extends z.ZodType<string, string>>(schema: S) {
  return schema.superRefine((value, context) => {
    const unknownName = findPlaceholderNames(value).find((name) => !isPlaceholder(name));
    if (unknownName === undefined) return;
    const message = `has the unknown placeholder {${unknownName.slice(0, 50)}}: use ${placeholderList}`;
    context.addIssue({ code: "custom", message });
  });
}

const textSchema = z.object({
  language: languageText,
  wallet: withPlaceholders(singleLineText(MAX_LINE)).nullish(),
  subject: withPlaceholders(singleLineText(MAX_LINE)).nullish(),
  text: withPlaceholders(multilineText(MAX_TEXT)).nullish(),
});

/**
 * The schema for a message's texts. There must be at least one text and at most one per language. Customers whose language has no
 * text receive the first one. Length limits apply before placeholders are filled in.
 */
export const messageTexts = limitedList(textSchema, MAX_TEXTS)
  .superRefine((texts, context) => {
    const languages = texts.map(({ language }) => language);
    const duplicateIndex = languages.findIndex((language, at) => languages.indexOf(language) < at);
    if (duplicateIndex >= 0)
      context.addIssue({ code: "custom", path: [duplicateIndex, "language"], message: "is given twice" });
    // Texts that are too long have already been reported individually.
    if (context.issues.length > 0) return;
    const allTexts = texts.flatMap(({ wallet, subject, text }) => [wallet ?? "", subject ?? "", text ?? ""]);
    if (allTexts.reduce((sum, text) => sum + countCodePoints(text), 0) > MAX_SUM)
      context.addIssue({ code: "custom", message: `must be at most ${MAX_SUM} characters in all` });
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
