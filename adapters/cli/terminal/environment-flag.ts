import { CommandError, WRONG_USAGE } from "./command-error.js";

/**
 * Whether an environment variable says yes; `fallback` when it is not set. Commander would take any value, `false` too,
 * for yes.
 * @throws {CommandError} for anything but true, 1, false and 0.
 */
export function environmentFlag(name: string, fallback: boolean): boolean {
  const value = process.env[name] ?? "";
  if (value === "") return fallback;
  if (["true", "1"].includes(value)) return true;
  if (["false", "0"].includes(value)) return false;
  throw new CommandError(`the environment variable ${name} must be true or false`, WRONG_USAGE);
}
