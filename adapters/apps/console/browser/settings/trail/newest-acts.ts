import type { AuditPage, AuditQuery } from "../../../../../../src/access/audit-schema.js";

/** Loads the audit trail entries that match a query. Resolves to the entries in ascending order of sequence number. */
export type ReadEntries = (query: AuditQuery) => Promise<AuditPage["content"]>;

/** A page of audit trail entries, newest first. */
export interface EntriesPage {
  readonly entries: AuditPage["content"];
  /**
   * The sequence number of this page's oldest entry, or 0 if there are no older entries. Pass it as `before` to read the next page.
   */
  readonly before: number;
}

/**
 * Loads one page of audit trail entries, newest first, in a single request.
 * @param before a sequence number, or `null` to load the newest page. The page contains only entries with lower sequence numbers.
 */
export async function loadEntriesBefore(
  read: ReadEntries,
  size: number,
  before: number | null,
): Promise<EntriesPage> {
  const candidates = await read(
    before === null ? { newest: true, limit: size } : buildQueryUpTo(before - 1, size),
  );
  const entries = candidates.filter(({ sequence }) => before === null || sequence < before).toReversed();
  const oldest = entries.at(-1)?.sequence ?? 0;
  // If older entries were deleted, the read returns later ones instead, so the page has fewer than `size` entries.
  return { entries, before: entries.length < size || oldest === 1 ? 0 : oldest };
}

/** Returns the query for the entries up to a sequence number. */
function buildQueryUpTo(sequence: number, size: number): AuditQuery {
  return { after: String(Math.max(sequence - size, 0)), limit: Math.min(size, sequence) };
}
