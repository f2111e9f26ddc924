import { ChangeLog } from "./change-log.js";
import type { UserColumn } from "./column.js";

/** Approximate size of a column without its values and key, in bytes. */
const BYTES_OF_COLUMN = 1_000;

/** Maximum number of organizations with cached columns. */
const MOST_ORGANIZATIONS = 1_000;

/** One organization's cached columns. All of them reflect the same number of changes without an event (`untold`). */
export class OrganizationColumns {
  readonly columns = new Map<string, UserColumn>();
  readonly log: ChangeLog;

  constructor(
    readonly untold: number,
    position: number,
  ) {
    this.log = new ChangeLog(position);
  }
}

interface Kept {
  readonly of: OrganizationColumns;
  readonly key: string;
  readonly column: UserColumn;
}

/**
 * Caches columns up to a total size of `limit` bytes, dropping the least recently used ones first. The columns contain only
 * committed data.
 */
export class ColumnCache {
  readonly #organizations = new Map<string, OrganizationColumns>();
  /** Sorted by last use, least recent first. */
  readonly #kept = new Set<Kept>();
  readonly #byColumn = new WeakMap<UserColumn, Kept>();

  constructor(private readonly limit: number) {}

  /** The cache's approximate memory usage, in bytes. */
  get bytes(): number {
    let bytes = 0;
    for (const { key, column } of this.#kept) bytes += column.bytes + BYTES_OF_COLUMN + 2 * key.length;
    for (const { log } of this.#organizations.values()) bytes += log.bytes;
    return bytes;
  }

  /**
   * Returns the organization's cached columns. If there are none or if they are outdated, starts an empty set of columns. Returns
   * `null` if the cached columns are newer than the given state.
   */
  findOrCreate(organizationId: string, untold: number, position: number): OrganizationColumns | null {
    const known = this.#organizations.get(organizationId);
    if (known !== undefined && known.untold > untold) return null;
    if (known?.untold === untold) {
      this.#organizations.delete(organizationId);
      this.#organizations.set(organizationId, known);
      return known;
    }
    return this.#begin(organizationId, untold, position);
  }

  /**
   * Discards the organization's cached columns and starts an empty set. Call this if the cached columns can't be brought up to
   * date from the events.
   */
  restart(organizationId: string, untold: number, position: number): OrganizationColumns {
    return this.#begin(organizationId, untold, position);
  }

  /** Caches a column, unless the same or a newer version is already cached or `of` has been replaced. */
  put(organizationId: string, of: OrganizationColumns, key: string, column: UserColumn): void {
    if (this.#organizations.get(organizationId) !== of) return;
    const known = of.columns.get(key);
    if (known !== undefined && known.position >= column.position) return;
    if (known !== undefined) this.#forget(known);
    of.columns.set(key, column);
    const kept = { of, key, column };
    this.#byColumn.set(column, kept);
    this.#kept.add(kept);
  }

  /**
   * Marks columns as recently used. If the cache is too large, drops cached match results first, and then whole columns, starting
   * with the least recently used.
   */
  touch(columns: Iterable<UserColumn>): void {
    for (const column of columns) {
      const kept = this.#byColumn.get(column);
      if (kept !== undefined && this.#kept.delete(kept)) this.#kept.add(kept);
    }
    let excess = this.bytes - this.limit;
    for (const { column } of this.#kept) {
      if (excess <= 0) return;
      const { bytes } = column;
      column.clearMatchCache();
      excess -= bytes - column.bytes;
    }
    for (const { column, of } of this.#kept) {
      if (excess <= 0) return;
      this.#forget(column);
      for (const [organizationId, one] of this.#organizations) {
        if (one === of && of.columns.size === 0) this.#organizations.delete(organizationId);
      }
      excess = this.bytes - this.limit;
    }
  }

  #begin(organizationId: string, untold: number, position: number): OrganizationColumns {
    this.#drop(organizationId);
    const begun = new OrganizationColumns(untold, position);
    this.#organizations.set(organizationId, begun);
    for (const oldest of this.#organizations.keys()) {
      if (this.#organizations.size <= MOST_ORGANIZATIONS) break;
      this.#drop(oldest);
    }
    return begun;
  }

  #drop(organizationId: string): void {
    for (const column of this.#organizations.get(organizationId)?.columns.values() ?? [])
      this.#forget(column);
    this.#organizations.delete(organizationId);
  }

  #forget(column: UserColumn): void {
    const kept = this.#byColumn.get(column);
    if (kept === undefined) return;
    this.#kept.delete(kept);
    this.#byColumn.delete(column);
    kept.of.columns.delete(kept.key);
  }
}
