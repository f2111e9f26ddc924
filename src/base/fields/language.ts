import * as z from "zod";

const MAX_LENGTH = 35;

export const wrongLanguage = "must be a language tag such as en or pt-BR";

/**
 * The schema for a language as a BCP 47 tag. Parsing converts the tag to its canonical form, for example from `de-at` to `de-AT`.
 */
export const languageText = z
  .string()
  .transform((tag, context): string => {
    const canonical = canonicalTag(tag);
    if (canonical !== null) return canonical;
    context.addIssue({ code: "custom", message: wrongLanguage, input: tag });
    return z.NEVER;
  })
  .meta({ maxLength: MAX_LENGTH });

function canonicalTag(tag: string): string | null {
  if (tag.length > MAX_LENGTH) return null;
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null;
  } catch {
    return null;
  }
}
