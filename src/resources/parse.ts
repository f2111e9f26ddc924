import type * as z from "zod";
import { notAnObject } from "../error-messages.js";
import { createLoyaltyError, type LoyaltyError, validationFailed } from "../errors.js";

/** An error names at most this many fields, and unknown keys of one object: a hostile input can have tens of thousands. */
export const MAX_REPORTED_FIELDS = 100;

/** On create these fields mean the same by `null` as by their absence. */
const absentWhenNull: ReadonlySet<PropertyKey | undefined> = new Set([
  "email",
  "name",
  "phone",
  "externalId",
  "description",
  "note",
  "expiresAt",
  "maxStamps",
  "design",
]);

/**
 * Checks input against its schema. Wrong types come before wrong values, each kind reported whole.
 * @throws {LoyaltyError} `malformed_request` for what is no object, `wrong_param_type` with the paths of the
 *   fields of a wrong JSON type, `validation_failed` with a message for each missing or wrong field.
 */
export function parse<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  return read(schema, input, false);
}

/** {@link parse} for what a caller creates, where some fields may be `null` for absent. */
export function parseNew<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  return read(schema, input, true);
}

/** Returns an input with a field that the call has as an argument of its own. What is no object stays as it is. */
export function withField(input: unknown, name: string, value: unknown): unknown {
  return typeof input === "object" && input !== null && !Array.isArray(input)
    ? { ...input, [name]: value }
    : input;
}

function read<S extends z.ZodType>(schema: S, input: unknown, creating: boolean): z.output<S> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  // Checked again to be told what was given: asked for at first, that would cost each call that is right.
  const issues = schema.safeParse(input, { reportInput: true }).error?.issues ?? [];
  throw toValidationError(issues.flatMap(readable), creating, input);
}

/**
 * What is wrong with a value that may have one of several JSON types is said by the one that it has: the fields within it, or that it
 * has none of them.
 */
function readable(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== "invalid_union" || issue.input === undefined) return [issue];
  const ofItsType = issue.errors.filter((ways) => !ways.some((way) => isOther(way)));
  const [way] = ofItsType;
  if (way === undefined) return [{ ...issue, code: "invalid_type", expected: "object" }];
  if (ofItsType.length > 1 || way.some(({ path }) => path.length === 0)) return [issue];
  return way.flatMap((inner) => readable({ ...inner, path: [...issue.path, ...inner.path] }));
}

/** Returns whether a value as a whole is of another JSON type. */
function isOther(issue: z.core.$ZodIssue): boolean {
  return issue.path.length === 0 && isWrongType(issue, false);
}

function toValidationError(
  issues: readonly z.core.$ZodIssue[],
  creating: boolean,
  input: unknown,
): LoyaltyError {
  const wrongTypes = issues.filter((issue) => isWrongType(issue, creating));
  if (wrongTypes.some((issue) => issue.path.length === 0))
    return createLoyaltyError("malformed_request", null, { message: notAnObject(input) });
  if (wrongTypes.length > 0) {
    const paths = new Set(wrongTypes.map((issue) => issue.path.join(".")));
    return createLoyaltyError("wrong_param_type", [...paths].slice(0, MAX_REPORTED_FIELDS));
  }
  const fields = new Map<string, string>();
  for (const issue of issues.slice(0, MAX_REPORTED_FIELDS)) {
    for (const [path, message] of complaints(issue, creating)) {
      if (!fields.has(path)) fields.set(path, message);
    }
  }
  return validationFailed(Object.fromEntries(fields));
}

function isWrongType(issue: z.core.$ZodIssue, creating: boolean): boolean {
  switch (issue.code) {
    case "invalid_type":
      return issue.path.length === 0 || !isMissing(issue, creating);
    case "invalid_value":
      return issue.input !== undefined && typeof issue.input !== "string";
    default:
      return false;
  }
}

function isMissing(issue: z.core.$ZodIssue, creating: boolean): boolean {
  return (
    issue.input === undefined || (creating && issue.input === null && absentWhenNull.has(issue.path.at(-1)))
  );
}

function complaints(issue: z.core.$ZodIssue, creating: boolean): [path: string, message: string][] {
  const path = issue.path.join(".");
  switch (issue.code) {
    case "invalid_type":
      return [[path, isMissing(issue, creating) ? "is required" : issue.message]];
    case "invalid_value":
      return [
        [path, issue.input === undefined ? "is required" : `must be one of ${issue.values.join(", ")}`],
      ];
    case "unrecognized_keys":
      return issue.keys
        .slice(0, MAX_REPORTED_FIELDS)
        .map((key) => [[...issue.path, key].join("."), "is not a known field"]);
    case "too_small":
      // No list has to have more than one item.
      return [[path, issue.origin === "array" ? "must not be empty" : `must be at least ${issue.minimum}`]];
    case "too_big":
      if (issue.origin === "array") return [[path, `must have at most ${issue.maximum} items`]];
      return [[path, `must be at most ${issue.maximum}`]];
    default:
      return [[path, issue.message]];
  }
}

/**
 * Runs a check across fields on every object, so that it is reported beside the fields that are wrong by
 * themselves. What the check is given may then be half wrong.
 */
export const onAnyObject = {
  when: ({ value }: { readonly value: unknown }) => typeof value === "object" && value !== null,
};

/** Says in the words of JSON Schema that an object has one of the fields and not both; as a check it is written out. */
export function requireExactlyOne(...fields: readonly string[]) {
  return { oneOf: fields.map((field) => ({ required: [field] })) };
}
