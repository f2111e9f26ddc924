/** An optional package is not installed. The message says how to install it. */
export class PackageMissing extends Error {
  override readonly name = "PackageMissing";
}

/**
 * Loads an optional package.
 * @param message says what it is needed for, and the command that installs it.
 * @throws {PackageMissing} when it can't be loaded.
 */
export async function peer<Module>(load: () => Promise<Module>, message: string): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    throw new PackageMissing(message, { cause });
  }
}
