import type { AuditPage, AuditQuery } from "../../../../../src/resources/audit.js";

/** Reads entries of the trail, oldest first. */
export type ReadActs = (query: AuditQuery) => Promise<AuditPage["content"]>;

/** Some entries of the trail, newest first. */
export interface ActsPage {
  readonly entries: AuditPage["content"];
  /** The sequence after which this page ends; 0 where nothing is older. */
  readonly before: number;
}

/**
 * Reads the entries before one, newest first, by one request.
 * @param before the sequence that the page ends before; `null` for the newest.
 */
export async function actsBefore(read: ReadActs, size: number, before: number | null): Promise<ActsPage> {
  const found = await read(before === null ? { newest: true, limit: size } : upTo(before - 1, size));
  const entries = found.filter(({ sequence }) => before === null || sequence < before).toReversed();
  const oldest = entries.at(-1)?.sequence ?? 0;
  // Older entries may be gone: then the page begins with the first that is kept.
  return { entries, before: entries.length < size || oldest === 1 ? 0 : oldest };
}

/** The query for the entries up to a sequence number. */
function upTo(sequence: number, size: number): AuditQuery {
  return { after: String(Math.max(sequence - size, 0)), limit: Math.min(size, sequence) };
}
