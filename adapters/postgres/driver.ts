import type pg from "pg";
import { throwMissing } from "../setup/load-peer.js";

let loaded: typeof pg | null = null;

/** Loads `pg` with the first storage. @throws {PackageMissing} if it is not installed; then it is looked for again. */
export async function loadDriver(): Promise<typeof pg> {
  loaded ??= (await import("pg").catch(throwMissing("pg"))).default;
  return loaded;
}

/** The driver, once {@link loadDriver} has loaded it. */
export function driver(): typeof pg {
  if (loaded === null) throw new Error("pg is asked for before it is loaded");
  return loaded;
}
