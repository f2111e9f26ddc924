import { isLoyaltyError, type LoyaltyError } from "../../../../src/base/errors.js";

/** Exit code for a command that failed. */
export const FAILURE_CODE = 1;
/** Exit code for incorrect usage of a command. */
export const USAGE_ERROR_CODE = 2;

/** An error that is shown to the user as a single line, without a stack trace. */
export class CommandError extends Error {
  override readonly name = "CommandError";

  constructor(
    message: string,
    readonly exitCode: typeof FAILURE_CODE | typeof USAGE_ERROR_CODE = FAILURE_CODE,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Command-line options keyed by the library's field names. */
const optionsByField: Readonly<Record<string, string>> = {
  organizationId: "--organization",
  name: "--name",
  expiresAt: "--expires-in",
  redirectUris: "--redirect-uri",
  filter: "--filter",
  timeZone: "--time-zone",
  language: "--language",
  currency: "--currency",
};

/** Converts a `TypeError`, which reports an invalid option value or file, to a usage error. Returns any other error unchanged. */
export function toUsageError(error: unknown): unknown {
  return error instanceof TypeError
    ? new CommandError(error.message, USAGE_ERROR_CODE, { cause: error })
    : error;
}

/**
 * Converts a library error to a command error that refers to invalid fields by their command-line options. Returns any other error
 * unchanged.
 */
export function toOptionError(error: unknown): unknown {
  return toCommandError(error, (field) => optionsByField[field.split(".", 1).join()] ?? field);
}

/**
 * Converts a library error to a command error that refers to invalid fields by their names in the library. Returns any other error
 * unchanged.
 */
export function toFieldError(error: unknown): unknown {
  return toCommandError(error, (field) => field);
}

function toCommandError(error: unknown, formatField: (field: string) => string): unknown {
  if (!isLoyaltyError(error)) return error;
  if (error.detail.code !== "validation_failed")
    return new CommandError(error.message, FAILURE_CODE, { cause: error });
  const fields = Object.entries(error.detail.fields);
  const messages = fields.map(([field, message]) => `${formatField(field)} ${message}`);
  return new CommandError(messages.join("; "), USAGE_ERROR_CODE, { cause: error });
}

/**
 * Appends a documentation link to an error message if the cause is a library error. Messages about invalid values are
 * self-explanatory, so they don't get a link.
 */
export function appendDocsLink(line: string, error: unknown): string {
  const loyaltyError = findLoyaltyError(error);
  if (loyaltyError === null || loyaltyError.code === "validation_failed") return line;
  return `${line.replace(/\.$/, "")}. See ${loyaltyError.docs}`;
}

function findLoyaltyError(error: unknown): LoyaltyError | null {
  if (isLoyaltyError(error)) return error;
  return error instanceof Error ? findLoyaltyError(error.cause) : null;
}

/**
 * Returns the first error in an `AggregateError`, or any other error unchanged. If Node.js can't reach any of a host's addresses,
 * it throws an `AggregateError` without a message that contains one error per address.
 */
export function unwrapAggregateError(error: unknown): unknown {
  return error instanceof AggregateError ? (error.errors[0] ?? error) : error;
}
