import { isLoyaltyError, type LoyaltyError } from "../../../src/errors.js";

/** The exit code of a command that failed. */
export const FAILURE_CODE = 1;
/** The exit code of a command that was called in a wrong way. */
export const USAGE_ERROR_CODE = 2;

/** A failure to tell the user about in one line, without a stack. */
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

/** The options that give the library's fields. */
const optionOf: Readonly<Record<string, string>> = {
  organizationId: "--organization",
  name: "--name",
  expiresAt: "--expires-in",
  redirectUris: "--redirect-uri",
  filter: "--filter",
  timeZone: "--time-zone",
  language: "--language",
  currency: "--currency",
};

/** Returns the failure of a command for an option whose value or file is wrong; any other error as it is. */
export function toUsageError(error: unknown): unknown {
  return error instanceof TypeError
    ? new CommandError(error.message, USAGE_ERROR_CODE, { cause: error })
    : error;
}

/** Says a refusal of the library in the words of the command line; any other error stays as it is. */
export function toOptionError(error: unknown): unknown {
  return inWords(error, (field) => optionOf[field.split(".", 1).join()] ?? field);
}

/** Says a refusal of what the library was given as it is, by the names of its fields; any other error stays as it is. */
export function toFieldError(error: unknown): unknown {
  return inWords(error, (field) => field);
}

function inWords(error: unknown, wordFor: (field: string) => string): unknown {
  if (!isLoyaltyError(error)) return error;
  if (error.detail.code !== "validation_failed")
    return new CommandError(error.message, FAILURE_CODE, { cause: error });
  const fields = Object.entries(error.detail.fields);
  const told = fields.map(([field, message]) => `${wordFor(field)} ${message}`);
  return new CommandError(told.join("; "), USAGE_ERROR_CODE, { cause: error });
}

/** Adds the page of the documentation to the line of an error, except for an invalid value, which explains itself. */
export function withDocs(line: string, error: unknown): string {
  const refusal = refusalBehind(error);
  if (refusal === null || refusal.code === "validation_failed") return line;
  return `${line.replace(/\.$/, "")}. See ${refusal.docs}`;
}

function refusalBehind(error: unknown): LoyaltyError | null {
  if (isLoyaltyError(error)) return error;
  return error instanceof Error ? refusalBehind(error.cause) : null;
}

/** The error behind another: what could be reached by no address has one error for each of them, and no message. */
export function firstCause(error: unknown): unknown {
  return error instanceof AggregateError ? (error.errors[0] ?? error) : error;
}
