import type { Tenant } from "../kernel/tenant.js";
import type { StoredPass, StoredStampEntry } from "../storage/passes.js";
import type { RowBatches } from "./export-kind.js";
import { readRowsPerUser } from "./rows-per-user.js";

/** Number of ledger entries per read. */
const PAGE = 1_000;

/**
 * Maximum number of entries in ledgers that are read together. It is half a page, so that the group still fits a page if a ledger
 * grows during the read.
 */
const GROUP_SIZE = PAGE / 2;

/** Yields batches of an organization's ledger entries for export, grouped by pass. Each pass's entries are sorted newest first. */
export async function* readLedgerEntries(tenant: Tenant): RowBatches<StoredStampEntry> {
  const passes = readRowsPerUser(tenant, (reader, users) => reader.passesOfUsers(users));
  for await (const batch of passes) for (const group of groupPasses(batch)) yield* readLedgers(tenant, group);
}

async function* readLedgers(tenant: Tenant, passes: readonly StoredPass[]): RowBatches<StoredStampEntry> {
  let before = Number.POSITIVE_INFINITY;
  for (let offset = 0; ; offset += PAGE) {
    const page = await tenant.read(function* (reader) {
      const entries: StoredStampEntry[] = [];
      for (const { id } of passes) {
        entries.push(...(yield* reader.listStampEntries(id, offset, PAGE)));
      }
      return entries;
    }, true);
    // Entries added in the meantime shift the offsets, so skip entries that were already read.
    yield page.filter(({ sequence }) => sequence < before);
    const last = page.at(-1);
    if (passes.length > 1 || last === undefined || page.length < PAGE) return;
    before = last.sequence;
  }
}

/** Groups passes so that short ledgers are read together and a long ledger alone. Passes without entries are left out. */
function* groupPasses(passes: readonly StoredPass[]): Generator<StoredPass[], void, undefined> {
  let group: StoredPass[] = [];
  let entries = 0;
  for (const pass of passes) {
    const entryCount = pass.card?.entries ?? 0;
    if (entryCount === 0) continue;
    if (entries + entryCount > GROUP_SIZE) {
      if (group.length > 0) yield group;
      [group, entries] = [[], 0];
    }
    group.push(pass);
    entries += entryCount;
  }
  if (group.length > 0) yield group;
}
