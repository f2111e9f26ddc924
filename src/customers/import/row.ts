import type * as z from "zod";
import { type ErrorDetail, isLoyaltyError, validationFailed } from "../../base/errors.js";
import { parseNew } from "../../base/parse.js";
import { assertNoUnknownKeys, unknownKeys } from "../../base/unknown-keys.js";
import { toSlug } from "../../base/values/slug.js";
import type { ImportedConsent } from "../../messages/subscription-state.js";
import { importUserSchema, userSchema } from "../schema.js";

/** A row that was not imported, with the reasons. */
export interface FailedRow {
  /** The row's number in input order, starting at 1. */
  readonly row: number;
  /** Error messages keyed by the field's path, such as `email` or `tags.0`. The key is `row` if the row isn't an object. */
  readonly errors: Readonly<Record<string, string>>;
}

/** A tag listed in a row, with the name to give the tag if the import creates it. */
export interface NamedTag {
  readonly slug: string;
  readonly name: string;
}

/** A row that passed every check that doesn't require access to storage. */
export interface ValidRow {
  readonly row: number;
  /** The row as the caller passed it in. */
  readonly input: unknown;
  readonly user: Omit<ParsedRow, "tags" | ConsentField>;
  /** The row's tags, without duplicate slugs. */
  readonly tags: readonly NamedTag[];
  /** The user's consent to receive messages and the language for these messages, or `null` if the row has neither. */
  readonly consent: ImportedConsent | null;
}

type ParsedRow = ReturnType<typeof importUserSchema.parse>;
type ConsentField = "emailConsent" | "consentAt" | "consentText" | "language";

export type CheckedRow = ValidRow | FailedRow;

/**
 * Checks a row without accessing storage.
 * @param schema the schema of all fields that a row can have, used to reject rows with unknown keys. If `null`, unknown keys are
 *   ignored.
 */
export function parseRow(row: number, input: unknown, schema: z.ZodType | null = null): CheckedRow {
  try {
    if (schema !== null) assertNoUnknownKeys(unknownKeys(schema, input, userSchema));
    const parsed = parseNew(importUserSchema, input);
    const { tags = [], emailConsent, consentAt, consentText, language, ...user } = parsed;
    return { row, input, user, tags: dedupeBySlug(tags), consent: parseConsent(parsed) };
  } catch (error) {
    return toFailedRow(row, error);
  }
}

/**
 * Converts an error thrown for a row to a failed row.
 * @throws the original error if the row didn't cause it.
 */
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
        ...(detail.conflicts.email_already_exists && { email: KEY_TAKEN_MESSAGE }),
        ...(detail.conflicts.external_id_already_exists && { externalId: KEY_TAKEN_MESSAGE }),
      };
    default:
      return null;
  }
}

const KEY_TAKEN_MESSAGE = "belongs to another user";

function dedupeBySlug(names: readonly string[]): NamedTag[] {
  const tags = new Map<string, NamedTag>();
  for (const name of names) {
    const slug = toSlug(name);
    if (!tags.has(slug)) tags.set(slug, { slug, name });
  }
  return [...tags.values()];
}

/**
 * Parses a row's consent and language; `null` if it has neither.
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
