import { ChangeLog } from "./change-log.js";
import type { UserColumn } from "./column.js";

/** Approximate size of a column without its values and key, in bytes. */
const BYTES_PER_COLUMN = 1_000;

/** Maximum number of organizations with cached columns. */
const MAX_ORGANIZATIONS = 1_000;

/** One organization's cached columns. All of them reflect the same number of changes without an event (`changesWithoutEvent`). */
export class OrganizationColumns {
  readonly columns = new Map<string, UserColumn>();
  readonly log: ChangeLog;

  constructor(
    readonly changesWithoutEvent: number,
    position: number,
  ) {
    this.log = new ChangeLog(position);
  }
}

interface CacheEntry {
  readonly of: OrganizationColumns;
  readonly key: string;
  readonly column: UserColumn;
}

/**
 * Caches columns up to a total size of `limit` bytes, and drops the least recently used ones first. The columns contain only
 * committed data.
 */
export class ColumnCache {
  readonly #organizations = new Map<string, OrganizationColumns>();
  /** The cached columns, least recently used first. */
  readonly #entries = new Set<CacheEntry>();
  readonly #byColumn = new WeakMap<UserColumn, CacheEntry>();

  constructor(private readonly limit: number) {}

  /** The cache's approximate memory usage, in bytes. */
  get bytes(): number {
    let bytes = 0;
    for (const { key, column } of this.#entries) bytes += column.bytes + BYTES_PER_COLUMN + 2 * key.length;
    for (const { log } of this.#organizations.values()) bytes += log.bytes;
    return bytes;
  }

  /**
   * Returns the organization's cached columns, or a new, empty set of columns if there are none or they are outdated. Returns
   * `null` if the cached columns are newer than the given state.
   */
  findOrCreate(
    organizationId: string,
    changesWithoutEvent: number,
    position: number,
  ): OrganizationColumns | null {
    const existing = this.#organizations.get(organizationId);
    if (existing !== undefined && existing.changesWithoutEvent > changesWithoutEvent) return null;
    if (existing?.changesWithoutEvent === changesWithoutEvent) {
      this.#organizations.delete(organizationId);
      this.#organizations.set(organizationId, existing);
      return existing;
    }
    return this.#createColumns(organizationId, changesWithoutEvent, position);
  }

  /**
   * Discards the organization's cached columns and starts an empty set. Call this if the cached columns can't be brought up to
   * date from the events.
   */
  restart(organizationId: string, changesWithoutEvent: number, position: number): OrganizationColumns {
    return this.#createColumns(organizationId, changesWithoutEvent, position);
  }

  /** Caches a column, unless the same or a newer version is already cached or `of` has been replaced. */
  put(organizationId: string, of: OrganizationColumns, key: string, column: UserColumn): void {
    if (this.#organizations.get(organizationId) !== of) return;
    const previous = of.columns.get(key);
    if (previous !== undefined && !column.isNewerThan(previous)) return;
    if (previous !== undefined) this.#removeColumn(previous);
    of.columns.set(key, column);
    const entry = { of, key, column };
    this.#byColumn.set(column, entry);
    this.#entries.add(entry);
  }

  /**
   * Marks columns as recently used. If the cache is too large, drops cached match results first, and then whole columns, starting
   * with the least recently used.
   */
  touch(columns: Iterable<UserColumn>): void {
    for (const column of columns) {
      const entry = this.#byColumn.get(column);
      if (entry !== undefined && this.#entries.delete(entry)) this.#entries.add(entry);
    }
    let excess = this.bytes - this.limit;
    for (const { column } of this.#entries) {
      if (excess <= 0) return;
      const { bytes } = column;
      column.clearMatchCache();
      excess -= bytes - column.bytes;
    }
    for (const { column, of } of this.#entries) {
      if (excess <= 0) return;
      this.#removeColumn(column);
      for (const [organizationId, one] of this.#organizations) {
        if (one === of && of.columns.size === 0) this.#organizations.delete(organizationId);
      }
      excess = this.bytes - this.limit;
    }
  }

  #createColumns(organizationId: string, changesWithoutEvent: number, position: number): OrganizationColumns {
    this.#drop(organizationId);
    const created = new OrganizationColumns(changesWithoutEvent, position);
    this.#organizations.set(organizationId, created);
    for (const oldest of this.#organizations.keys()) {
      if (this.#organizations.size <= MAX_ORGANIZATIONS) break;
      this.#drop(oldest);
    }
    return created;
  }

  #drop(organizationId: string): void {
    for (const column of this.#organizations.get(organizationId)?.columns.values() ?? [])
      this.#removeColumn(column);
    this.#organizations.delete(organizationId);
  }

  #removeColumn(column: UserColumn): void {
    const entry = this.#byColumn.get(column);
    if (entry === undefined) return;
    this.#entries.delete(entry);
    this.#byColumn.delete(column);
    entry.of.columns.delete(entry.key);
  }
}
