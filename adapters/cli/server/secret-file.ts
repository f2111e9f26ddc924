import { readSecretFile } from "../../setup/text-file.js";
import { optionErrorOf } from "../terminal/command-error.js";

/** Reads a secret as {@link readSecretFile} does. @throws {CommandError} when that fails. */
export function readSecretFile(file: string, secret: string): string {
  try {
    return readSecretFile(file, secret);
  } catch (error) {
    throw optionErrorOf(error);
  }
}
