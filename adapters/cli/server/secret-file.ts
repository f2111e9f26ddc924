import { readSecretFile as readFile } from "../../setup/text-file.js";
import { toUsageError } from "../terminal/command-error.js";

/** Reads a secret as {@link readFile} does. @throws {CommandError} if that fails. */
export function readSecretFile(file: string, secret: string): string {
  try {
    return readFile(file, secret);
  } catch (error) {
    throw toUsageError(error);
  }
}
