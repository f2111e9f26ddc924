import { CommandError, FAILED } from "../terminal/command-error.js";

/**
 * Loads a storage adapter, late because its driver is the host's to install.
 * @throws {CommandError} that says how to install the driver, when it is missing.
 */
export async function withDriver<Adapter>(name: string, load: () => Promise<Adapter>): Promise<Adapter> {
  try {
    return await load();
  } catch (error) {
    if (!isMissing(name, error)) throw error;
    throw new CommandError(`the database driver is missing, install it: npm install ${name}`, FAILED, {
      cause: error,
    });
  }
}

function isMissing(name: string, error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return error.code === "ERR_MODULE_NOT_FOUND" && error.message.includes(`'${name}'`);
}

/** @throws {CommandError} that tells in one line why a database can't be opened. */
export function cantOpen(database: string, reason: string, cause: unknown): never {
  throw new CommandError(`can't open the database ${database}: ${reason}`, FAILED, { cause });
}
