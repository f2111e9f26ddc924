import type * as z from "zod";
import { type ErrorDetail, isLoyaltyError, validationFailed } from "../../errors.js";
import type { ImportedConsent } from "../../messages/imported-consent.js";
import { parseNew } from "../../resources/parse.js";
import { assertNoUnknownKeys, unknownKeys } from "../../resources/unknown-keys.js";
import { importUserSchema, userSchema } from "../../resources/user.js";
import { toSlug } from "../../values/slug.js";

/** A row that was not imported, and why. */
export interface FailedRow {
  /** 1 for the first row, then 2, 3, … in the order given. */
  readonly row: number;
  /** The errors go by the field's path, such as `email` or `tags.0`, or by `row` when the row is no object at all. */
  readonly errors: Readonly<Record<string, string>>;
}

/** A tag as a row names it. */
export interface NamedTag {
  readonly slug: string;
  readonly name: string;
}

/** A row that is valid on its own. */
export interface ValidRow {
  readonly row: number;
  /** All that was given. */
  readonly input: unknown;
  readonly user: Omit<ParsedRow, "tags" | ConsentField>;
  /** Each slug once. */
  readonly tags: readonly NamedTag[];
  /** The consent to messages; `null` if the row has none. */
  readonly consent: ImportedConsent | null;
}

type ParsedRow = ReturnType<typeof importUserSchema.parse>;
type ConsentField = "emailConsent" | "consentAt" | "consentText" | "language";

export type CheckedRow = ValidRow | FailedRow;

/** Checks a row by itself. @param schema what all of the row is, where keys beside that are refused. */
export function parseRow(row: number, input: unknown, schema: z.ZodType | null = null): CheckedRow {
  try {
    if (schema !== null) assertNoUnknownKeys(unknownKeys(schema, input, userSchema));
    const parsed = parseNew(importUserSchema, input);
    const { tags = [], emailConsent, consentAt, consentText, language, ...user } = parsed;
    return { row, input, user, tags: bySlug(tags), consent: parseConsent(parsed) };
  } catch (error) {
    return toFailedRow(row, error);
  }
}

/** The row as failed by what was thrown. @throws the error, when it is not the row's fault. */
export function toFailedRow(row: number, error: unknown): FailedRow {
  const errors = isLoyaltyError(error) ? toRowErrors(error.detail) : null;
  if (errors === null) throw error;
  return { row, errors };
}

function toRowErrors(detail: ErrorDetail): FailedRow["errors"] | null {
  switch (detail.code) {
    case "malformed_request":
      return { row: "must be an object" };
    case "wrong_param_type":
      return Object.fromEntries((detail.params ?? []).map((field) => [field, "has the wrong type"]));
    case "validation_failed":
      return detail.fields;
    case "user_already_exists":
      return {
        ...(detail.conflicts.email_already_exists && { email: IS_TAKEN }),
        ...(detail.conflicts.external_id_already_exists && { externalId: IS_TAKEN }),
      };
    default:
      return null;
  }
}

const IS_TAKEN = "belongs to another user";

function bySlug(names: readonly string[]): NamedTag[] {
  const tags = new Map<string, NamedTag>();
  for (const name of names) {
    const slug = toSlug(name);
    if (!tags.has(slug)) tags.set(slug, { slug, name });
  }
  return [...tags.values()];
}

/**
 * Reads what a row says of messages; `null` if that is nothing.
 * @throws {LoyaltyError} `validation_failed` for a consent without a time.
 */
function parseConsent({
  emailConsent,
  consentAt,
  consentText,
  language,
}: Pick<ParsedRow, ConsentField>): ImportedConsent | null {
  if (emailConsent == null) return language == null ? null : { email: null, language };
  if (emailConsent === "SUBSCRIBED" && consentAt == null)
    throw validationFailed({ consentAt: "is required for a consent" });
  const at = consentAt == null ? null : Date.parse(consentAt);
  return { email: { status: emailConsent, at, text: consentText ?? null }, language: language ?? null };
}
