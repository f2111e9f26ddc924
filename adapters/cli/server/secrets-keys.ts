import { MIN_KEY_BYTES, SecretsKeyError } from "../../../src/secrets/secret-keys.js";
import { CommandError, FAILED, WRONG_USAGE } from "../terminal/command-error.js";

/** For the help of commands. A flag would show the keys in the list of processes. */
export const secretsKeyHelp = `
LOYALTY_SECRETS_KEY, which has no option: a secret of at least ${MIN_KEY_BYTES} bytes that
seals what is stored of secrets, such as those of webhook endpoints; behind it,
after a comma, keys that were used before. "loyalty-kit seal" changes over.`;

/** The keys in the environment, the current one first. @throws {CommandError} when one is too short. */
export function secretsKeysIn({ LOYALTY_SECRETS_KEY: text = "" }: NodeJS.ProcessEnv): string[] {
  const keys = text.split(/[\s,]+/).filter((key) => key !== "");
  if (keys.every((key) => Buffer.byteLength(key) >= MIN_KEY_BYTES)) return keys;
  throw new CommandError(
    `each key in the environment variable LOYALTY_SECRETS_KEY must have at least ${MIN_KEY_BYTES} bytes`,
    WRONG_USAGE,
  );
}

/** A wrong key is something to tell in a line. */
export function keyErrorOf(error: unknown): unknown {
  return error instanceof SecretsKeyError ? new CommandError(error.message, FAILED, { cause: error }) : error;
}
