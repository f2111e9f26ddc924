import { MIN_KEY_BYTES, SecretKeyError } from "../../../../src/base/secrets/secret-keys.js";
import { MIN_SEAL_KEY_BYTES } from "../../../http/auth/oauth/consent-seal.js";
import { readSecretFile as readFile } from "../../../setup/text-file.js";
import { CommandError, FAILURE_CODE, toUsageError, USAGE_ERROR_CODE } from "../terminal/command-error.js";

/** Help text for `LOYALTY_OAUTH_KEY`. The key has no command-line option because options are visible in the process list. */
export const oauthKeyHelp = `
LOYALTY_OAUTH_KEY (environment variable only): a secret of at least ${MIN_SEAL_KEY_BYTES} bytes
for the sign-in and consent pages. Set the same secret in all processes that share
an issuer; otherwise, each process accepts only its own pages.`;

/** Help text for `LOYALTY_SECRET_KEYS`, appended to the help of commands that read this environment variable. */
export const secretKeysHelp = `
LOYALTY_SECRET_KEYS (environment variable only): a secret of at least ${MIN_KEY_BYTES} bytes
that encrypts stored secrets, such as webhook signing secrets. You can list previous
keys after it, separated by commas. "loyalty-kit seal" re-encrypts secrets with the
first key.`;

/**
 * Reads the key that all processes share (`LOYALTY_OAUTH_KEY`) from the environment.
 * @returns the key, or `undefined` if it isn't set.
 * @throws {CommandError} if the key is too short.
 */
export function readOAuthKey({ LOYALTY_OAUTH_KEY: key }: NodeJS.ProcessEnv): string | undefined {
  if (key !== undefined && Buffer.byteLength(key) < MIN_SEAL_KEY_BYTES) {
    throw tooShortError("the environment variable LOYALTY_OAUTH_KEY", MIN_SEAL_KEY_BYTES);
  }
  return key;
}

/**
 * Reads the secret keys (`LOYALTY_SECRET_KEYS`) from the environment.
 * @returns the keys, with the current key first.
 * @throws {CommandError} if a key is too short.
 */
export function readSecretKeys({ LOYALTY_SECRET_KEYS: text = "" }: NodeJS.ProcessEnv): string[] {
  const keys = text.split(/[\s,]+/).filter((key) => key !== "");
  if (keys.some((key) => Buffer.byteLength(key) < MIN_KEY_BYTES)) {
    throw tooShortError("each key in the environment variable LOYALTY_SECRET_KEYS", MIN_KEY_BYTES);
  }
  return keys;
}

function tooShortError(key: string, bytes: number): CommandError {
  return new CommandError(`${key} must be at least ${bytes} bytes long`, USAGE_ERROR_CODE);
}

/** Converts a wrong-secret-key error to a command error. Returns any other error unchanged. */
export function toKeyError(error: unknown): unknown {
  return error instanceof SecretKeyError
    ? new CommandError(error.message, FAILURE_CODE, { cause: error })
    : error;
}

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
