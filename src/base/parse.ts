import type * as z from "zod";
import { formatNotAnObject } from "./error-messages.js";
import { createLoyaltyError, type LoyaltyError, validationFailed } from "./errors.js";

/**
 * Maximum number of fields reported per error, and of unknown keys reported per object. Hostile input can have tens of thousands.
 */
export const MAX_REPORTED_FIELDS = 100;

/** When a resource is created, `null` in these fields counts as absent. */
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
 * Validates input against a schema. If any field has the wrong JSON type, only type errors are reported. Otherwise, all invalid
 * values are reported.
 * @throws {LoyaltyError} `malformed_request` if the input isn't an object, `wrong_param_type` with the paths of the fields that
 *   have the wrong JSON type, or `validation_failed` with a message for each missing or invalid field.
 */
export function parse<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  return parseValue(schema, input, false);
}

/**
 * Validates a new resource like {@link parse}, except that some required fields are reported as missing if they are `null`, rather
 * than as having the wrong type.
 */
export function parseNew<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  return parseValue(schema, input, true);
}

/**
 * Returns a copy of the input with a field added, for calls that take the field's value as a separate argument. Input that isn't
 * an object is returned unchanged.
 */
export function withField(input: unknown, name: string, value: unknown): unknown {
  return typeof input === "object" && input !== null && !Array.isArray(input)
    ? { ...input, [name]: value }
    : input;
}

function parseValue<S extends z.ZodType>(schema: S, input: unknown, creating: boolean): z.output<S> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  // Parses again to get the input for each issue. Asking for it the first time would slow down every valid call.
  const issues = schema.safeParse(input, { reportInput: true }).error?.issues ?? [];
  throw toValidationError(issues.flatMap(flattenIssue), creating, input);
}

/** Returns the issues for the union member that accepts the value's JSON type, or the issue that the value matches no member. */
function flattenIssue(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== "invalid_union" || issue.input === undefined) return [issue];
  const ofItsType = issue.errors.filter((ways) => !ways.some((way) => isTypeIssue(way)));
  const [way] = ofItsType;
  if (way === undefined) return [{ ...issue, code: "invalid_type", expected: "object" }];
  if (ofItsType.length > 1 || way.some(({ path }) => path.length === 0)) return [issue];
  return way.flatMap((inner) => flattenIssue({ ...inner, path: [...issue.path, ...inner.path] }));
}

/** Returns whether the issue says that the value itself has the wrong JSON type. */
function isTypeIssue(issue: z.core.$ZodIssue): boolean {
  return issue.path.length === 0 && isWrongType(issue, false);
}

function toValidationError(
  issues: readonly z.core.$ZodIssue[],
  creating: boolean,
  input: unknown,
): LoyaltyError {
  const typeIssues = issues.filter((issue) => isWrongType(issue, creating));
  if (typeIssues.some((issue) => issue.path.length === 0))
    return createLoyaltyError("malformed_request", null, { message: formatNotAnObject(input) });
  if (typeIssues.length > 0) {
    const paths = new Set(typeIssues.map((issue) => issue.path.join(".")));
    return createLoyaltyError("wrong_param_type", [...paths].slice(0, MAX_REPORTED_FIELDS));
  }
  const fields = new Map<string, string>();
  for (const issue of issues.slice(0, MAX_REPORTED_FIELDS)) {
    for (const [path, message] of listErrors(issue, creating)) {
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

function listErrors(issue: z.core.$ZodIssue, creating: boolean): [path: string, message: string][] {
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
      // Every list has a minimum of one item.
      return [[path, issue.origin === "array" ? "must not be empty" : `must be at least ${issue.minimum}`]];
    case "too_big":
      if (issue.origin === "array") return [[path, `must have at most ${issue.maximum} items`]];
      return [[path, `must be at most ${issue.maximum}`]];
    default:
      return [[path, issue.message]];
  }
}

/**
 * Options for Zod checks that compare several fields. They make the check run even if individual fields are invalid, so that all
 * errors are reported together. The check must therefore handle invalid values.
 */
export const onAnyObject = {
  when: ({ value }: { readonly value: unknown }) => typeof value === "object" && value !== null,
};

/**
 * Returns a JSON Schema rule that requires exactly one of the fields. The rule is only documentation. Use `refine` to enforce it in
 * Zod.
 */
export function requireExactlyOne(...fields: readonly string[]) {
  return { oneOf: fields.map((field) => ({ required: [field] })) };
}
