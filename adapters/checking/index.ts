import type { StorageAdapter } from "../../src/storage/storage-adapter.js";
import { checkEventPlaces, checkOrganization } from "../kysely/checking/check.js";
import type { FindingKind, IntegrityFinding } from "../kysely/checking/finding.js";
import { organizationsOf } from "../kysely/checking/organizations.js";
import { placeOf } from "../kysely/copying/places.js";

export type { FindingKind, IntegrityFinding };

export interface CheckOptions {
  /** The one to look through; all unless given. */
  readonly organizationId?: string;
  /** Whether what follows from the rest is made anew where it is wrong. */
  readonly repair?: boolean;
}

/**
 * Looks through storage in SQLite or Postgres: whether segments are what the tags of users say, saved ones have told the members that they had, searches find what users are
 * called, users are found by their emails in any case, ledgers are whole and cards what they come to, statistics are what the
 * events tell that are kept, the sums of messages add up, numbers are above those that are given, columns that repeat others say the same, what rows refer
 * to is there, and the audit trail is as it was written.
 * Each look is of one state; it may be in use meanwhile.
 * @returns the faults, repaired or not; an empty list when there are none.
 * @throws {TypeError} for storage in memory.
 * @example
 * import { checkStorage } from "loyalty-kit/checking";
 * import { sqliteStorage } from "loyalty-kit/sqlite";
 *
 * const findings = await checkStorage(await sqliteStorage("cafe.db"), { repair: true });
 * if (findings.length > 0) console.warn(findings);
 */
export async function checkStorage(
  storage: StorageAdapter,
  { organizationId, repair = false }: CheckOptions = {},
): Promise<IntegrityFinding[]> {
  const place = placeOf(storage);
  const findings = await checkEventPlaces(place, organizationId ?? null, repair);
  const all = organizationId === undefined ? await organizationsOf(place) : [organizationId];
  for (const id of all) findings.push(...(await checkOrganization(place, storage, id, repair)));
  return findings;
}
