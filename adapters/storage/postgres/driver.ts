import type pg from "pg";
import { throwMissing } from "../../setup/peers.js";

let loaded: typeof pg | null = null;

/**
 * Loads the `pg` package on the first call, and returns the loaded package on later calls.
 * @throws {PackageMissing} if the package isn't installed. The next call tries again.
 */
export async function loadDriver(): Promise<typeof pg> {
  loaded ??= (await import("pg").catch(throwMissing("pg"))).default;
  return loaded;
}

/** Returns the loaded driver. Call {@link loadDriver} first. */
export function getDriver(): typeof pg {
  if (loaded === null) throw new Error("pg was used before it was loaded");
  return loaded;
}
