import type { StorageAdapter } from "../../src/storage/storage-adapter.js";
import { checkEventPositions, checkOrganization } from "./kysely/checking/check.js";
import type { FindingKind, IntegrityFinding } from "./kysely/checking/finding.js";
import { readOrganizations } from "./kysely/checking/organizations.js";
import { getSqlAccess } from "./kysely/copying/sql-access.js";

export type { FindingKind, IntegrityFinding };

export interface CheckOptions {
  /** The ID of the organization to check. Default: all organizations. */
  readonly organizationId?: string;
  /** Whether to repair incorrect derived data. Default: `false`. */
  readonly repair?: boolean;
}

/**
 * Checks stored data for inconsistencies, and repairs derived data if `repair` is true. The checks cover tag sets, segment members,
 * search, emails, ledgers and cards, statistics, message totals, counters, references, and the audit trail. For the kinds of
 * problems, see {@link FindingKind}. Each check reads from a consistent snapshot, so it is safe to run while the database is in
 * use.
 * @returns the problems found, including repaired ones, or an empty array if there are none.
 * @throws {TypeError} if `storage` is the in-memory storage adapter.
 * @example
 * import { checkStorage } from "loyalty-kit/storage";
 * import { sqliteStorage } from "loyalty-kit/sqlite";
 *
 * const findings = await checkStorage(await sqliteStorage("cafe.db"), { repair: true });
 * if (findings.length > 0) console.warn(findings);
 */
export async function checkStorage(
  storage: StorageAdapter,
  { organizationId, repair = false }: CheckOptions = {},
): Promise<IntegrityFinding[]> {
  const access = getSqlAccess(storage);
  const findings = await checkEventPositions(access, organizationId ?? null, repair);
  const organizationIds = organizationId === undefined ? await readOrganizations(access) : [organizationId];
  for (const id of organizationIds) findings.push(...(await checkOrganization(access, storage, id, repair)));
  return findings;
}
