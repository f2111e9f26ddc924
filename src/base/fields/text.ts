import * as z from "zod";
import { mailDomain } from "../values/email.js";
import { isLongerThan, isStorable } from "../values/text.js";

/**
 * Builds the schema for a string that storage returns unchanged. `max` limits the length in code points after NFC normalization.
 * Before normalization, the string can be up to 4 times as long.
 */
export function text(max?: number) {
  return storable(z.string(), max);
}

/** Builds a {@link text} schema that rejects strings that are empty or consist only of whitespace. */
export function nonBlankText(max: number) {
  return filled(text(max), max);
}

/**
 * Arguments for Zod's `refine` that reject `.` and `..`, because URL parsers drop these path segments even if they are
 * percent-encoded.
 */
export const urlCanName = [
  (value: string) => value !== "." && value !== "..",
  { error: "must not be . or .., which can't be used in URLs" },
] as const;

/** Builds the schema for a display name. Parsing trims the name and rejects it if it is blank. */
export function nameText(max: number) {
  return filled(storable(z.string().trim(), max), max);
}

const control = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** Builds a {@link nonBlankText} schema for a single line without control characters. */
export function singleLineText(max: number) {
  return oneLine(nonBlankText(max));
}

/** Builds a {@link nameText} schema for a single line without control characters. */
export function singleLineName(max: number) {
  return oneLine(nameText(max));
}

function oneLine(schema: ReturnType<typeof nonBlankText>) {
  return schema.refine((value) => !control.test(value), {
    error: "must not contain line breaks or other control characters",
  });
}

/** Builds a {@link nonBlankText} schema for one or more lines. Parsing converts line breaks to LF. */
export function multilineText(max: number) {
  return nonBlankText(max)
    .transform((lines) => lines.replaceAll("\r\n", "\n"))
    .refine((lines) => !control.test(lines.replaceAll("\n", "")), {
      error: "must not contain control characters except line breaks",
    });
}

function storable(schema: z.ZodString, max: number | undefined) {
  const checked = schema.superRefine((value, context) => {
    if (!isStorable(value)) complain(context, "must not contain NUL or lone surrogates");
    else if (max !== undefined && isLongerThan(value, max))
      complain(context, `must be at most ${max} characters`);
  });
  return max === undefined ? checked : checked.meta({ maxLength: max });
}

function filled(schema: z.ZodString, max: number) {
  return schema
    .refine((value) => value.trim() !== "", { error: "must not be blank" })
    .meta({ minLength: 1, maxLength: max });
}

function complain(context: z.RefinementCtx, message: string): void {
  context.addIssue({ code: "custom", message });
}

const MAX_EMAIL_LENGTH = 254;

/** Dot-separated atoms as in RFC 5322. */
const localPart = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;

/**
 * The schema for an email address. The local part must be ASCII, with at most 64 characters. The domain must have at least two
 * labels and can be internationalized.
 */
export const emailText = text(MAX_EMAIL_LENGTH)
  .refine(isEmail, { error: "must be a valid email address" })
  .meta({ maxLength: MAX_EMAIL_LENGTH, format: "idn-email" });

function isEmail(address: string): boolean {
  // The patterns take linear time; the length limit keeps the remaining work small as well.
  if (address.length > MAX_EMAIL_LENGTH * 4) return false;
  const at = address.indexOf("@");
  const local = address.slice(0, Math.max(at, 0));
  return local.length <= 64 && localPart.test(local) && mailDomain(address.slice(at + 1)) !== null;
}

/** The schema for a color in the form `#RRGGBB`. Parsing converts it to uppercase. */
export const colorText = z
  .string()
  .regex(/^#[0-9a-fA-F]{6}$/, { error: "must be a color such as #1F6FEB" })
  .toUpperCase();

/** The schema for a timestamp in responses: ISO 8601, in UTC, with milliseconds. */
export const wireTimestamp = z.iso.datetime({ precision: 3 });
