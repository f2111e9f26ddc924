import { readFileSync } from "node:fs";
import { CommandError, WRONG_USAGE } from "../terminal/command-error.js";

/**
 * The first line of a file that holds a secret.
 * @param what the secret, as the error calls it.
 * @throws {CommandError} when the file can't be read.
 */
export function secretIn(file: string, what: string): string {
  try {
    return readFileSync(file, "utf8").split(/\r?\n/, 1)[0] ?? "";
  } catch (cause) {
    throw new CommandError(`the file of the ${what}, ${file}, can't be read`, WRONG_USAGE, { cause });
  }
}
