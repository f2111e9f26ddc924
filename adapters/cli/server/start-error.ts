import { CommandError, FAILED } from "../terminal/command-error.js";

/** Why a server does not start, in one line: where in the code that was noticed helps nobody who starts it. */
export function startErrorOf(error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  return new CommandError(`the server can't start: ${reasonsOf(error).join(": ")}`, FAILED, { cause: error });
}

function reasonsOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [String(error)];
  // What could be reached by no address has one error for each of them, and no message.
  const cause: unknown = error instanceof AggregateError ? (error.errors[0] ?? error.cause) : error.cause;
  return [error.message || error.name, ...(cause === undefined ? [] : reasonsOf(cause))];
}
