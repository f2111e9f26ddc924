import { readSecretFile as readFile } from "../../../setup/text-file.js";
import { toUsageError } from "../terminal/command-error.js";

/**
 * Reads a secret from a file.
 * @param secret a description of the secret for the error message.
 * @throws {CommandError} if the file can't be read.
 */
export function readSecretFile(file: string, secret: string): string {
  try {
    return readFile(file, secret);
  } catch (error) {
    throw toUsageError(error);
  }
}
