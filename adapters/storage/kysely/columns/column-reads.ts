import type { Step } from "../../../../src/base/concurrency/step.js";
import { Bitmap } from "../../../../src/storage/bitmap.js";
import type { ReadSession } from "../session/session.js";
import type { LogPosition } from "./change-log.js";
import { ChangeTimes } from "./change-times.js";
import { matchesValue, UserColumn, type Value } from "./column.js";
import type { ColumnCache, OrganizationColumns } from "./column-cache.js";
import type { AnyColumnDefinition, ColumnDefinition, ColumnQuery } from "./column-tests.js";
import { applyChanges } from "./match-cache.js";
import type { ReadScope, RowTypes, SourceName, Sources } from "./sources.js";

/** A committed state of one organization's data, from which columns are read. */
export interface ReadState extends LogPosition {
  readonly session: ReadSession;
  readonly organizationId: string;
  /** All users that exist in this state. Columns can still contain values for deleted users. */
  readonly users: Bitmap;
}

/** The users who match a query, or `null` if the column doesn't contain enough data to find them. */
export type MatchResult = Bitmap | null;

/** A column that a call needs. */
interface NeededColumn {
  readonly kind: AnyColumnDefinition;
  readonly column: UserColumn;
}

/** The columns that one call needs, keyed by their kind's key. */
type NeededColumns = Map<string, NeededColumn>;

/** Computes from a user's rows what a kind's column stores about the user. */
interface UserRows {
  computeValues(kind: AnyColumnDefinition, at: number): readonly Value[];
  findNextChange(kind: AnyColumnDefinition, at: number): number;
}

/** Rows of some users in one state. */
type RowsBySource = Map<SourceName, Map<number, UserRows>>;

/** Creates the functions that load columns, keep them up to date, and evaluate queries against them. */
export function columnReads(sources: Sources) {
  /** Loads the columns of a state. Columns of the same source share one read. */
  function* loadColumns(state: ReadState, kinds: readonly AnyColumnDefinition[]): Step<UserColumn[]> {
    const columns = kinds.map((kind): NeededColumn => {
      const times = kind.moving === undefined ? null : new ChangeTimes(kind.moving.at);
      return { kind, column: new UserColumn(state.position, times) };
    });
    for (const name of sourceNames) {
      const sourceColumns = columns.filter(({ kind }) => kind.source === name);
      if (sourceColumns.length === 0) continue;
      const fields = new Set(sourceColumns.flatMap(({ kind }) => kind.field ?? []));
      const extent = { fields, since: findStart(sourceColumns) };
      yield* readEachUser(state, name, extent, (ordinal, rows) => {
        for (const needed of sourceColumns) storeUser(needed, ordinal, rows, needed.column.times?.at ?? 0);
      });
    }
    return columns.map(({ column }) => column);
  }

  function* readEachUser<Name extends SourceName>(
    { session, organizationId }: ReadState,
    name: Name,
    extent: ReadScope,
    visit: (ordinal: number, rows: UserRows) => void,
  ): Step<void> {
    yield* sources[name].readAll(
      session,
      organizationId,
      extent,
      (ordinal, rows: readonly RowTypes[Name][]) => visit(ordinal, createUserRows(name, rows)),
    );
  }

  /** Reads the rows of users that are not known yet from one source. */
  function* readMissingRows<Name extends SourceName>(
    { session, organizationId }: ReadState,
    name: Name,
    since: number,
    ordinals: readonly number[],
    rowsBySource: RowsBySource,
  ): Step<void> {
    const rowsByOrdinal = yield* sources[name].readForUsers(session, organizationId, { since }, ordinals);
    const sourceRows = rowsBySource.get(name) ?? new Map();
    rowsBySource.set(name, sourceRows);
    for (const ordinal of ordinals)
      sourceRows.set(ordinal, createUserRows(name, rowsByOrdinal.get(ordinal) ?? []));
  }

  /** Evaluates queries with columns that are loaded for this call and never cached. */
  function* evaluateUncached(state: ReadState, queries: readonly ColumnQuery[]): Step<MatchResult[]> {
    const kinds = [...new Map(queries.map(({ kind }) => [kind.key, kind])).values()];
    const columns = yield* loadColumns(state, kinds);
    const byKey = new Map(kinds.map(({ key }, at) => [key, columns[at]]));
    return queries.map(({ kind, match, isOpposite }) => {
      const column = byKey.get(kind.key);
      return column === undefined ? Bitmap.empty : column.filterUsers(state.users, match, isOpposite);
    });
  }

  /** Returns the needed columns, and loads and caches missing ones. */
  function* findNeededColumns(
    state: ReadState,
    cached: OrganizationColumns,
    cache: ColumnCache,
    queries: readonly ColumnQuery[],
  ): Step<NeededColumns> {
    const neededColumns: NeededColumns = new Map();
    const missing = new Map<string, AnyColumnDefinition>();
    for (const { kind } of queries) {
      const column = cached.columns.get(kind.key);
      const isUsable = column !== undefined && listDiffering(state, cached, { kind, column }) !== null;
      if (isUsable) neededColumns.set(kind.key, { kind, column });
      else missing.set(kind.key, kind);
    }
    const kinds = [...missing.values()];
    const loaded = kinds.length === 0 ? [] : yield* loadColumns(state, kinds);
    for (const [at, kind] of kinds.entries()) {
      const column = loaded[at];
      if (column === undefined) continue;
      neededColumns.set(kind.key, { kind, column });
      cache.put(state.organizationId, cached, kind.key, column);
    }
    return neededColumns;
  }

  /**
   * Evaluates queries from columns after bringing them up to the state. If a column is ahead of the state, it corrects the result
   * for users who differ. Returns `null` if the changes in between are unknown.
   */
  function* evaluateCurrent(
    state: ReadState,
    cached: OrganizationColumns,
    needs: NeededColumns,
    queries: readonly ColumnQuery[],
  ): Step<MatchResult[] | null> {
    const rowsBySource: RowsBySource = new Map();
    for (;;) {
      const differing = new Map<string, ReadonlySet<number>>();
      const missing = new Map<SourceName, Set<number>>();
      for (const [key, needed] of needs) {
        const { kind } = needed;
        const ordinals = listDiffering(state, cached, needed);
        if (ordinals === null) return null;
        differing.set(key, ordinals);
        const sourceRows = rowsBySource.get(kind.source);
        for (const ordinal of ordinals) {
          if (sourceRows?.has(ordinal)) continue;
          missing.set(kind.source, (missing.get(kind.source) ?? new Set()).add(ordinal));
        }
      }
      if (missing.size === 0) return computeMatches(state, needs, differing, rowsBySource, queries);
      for (const [name, ordinals] of missing) {
        const start = findStart([...needs.values()].filter(({ kind }) => kind.source === name));
        yield* readMissingRows(state, name, start, [...ordinals], rowsBySource);
      }
    }
  }

  return { evaluateUncached, findNeededColumns, evaluateCurrent };
}

const sourceNames: readonly SourceName[] = [
  "cards",
  "points",
  "purchases",
  "metadata",
  "fields",
  "subscriptions",
];

/** Returns the earliest time that matters for any of the columns. */
function findStart(columns: readonly NeededColumn[]): number {
  return Math.min(...columns.map(({ kind, column }) => column.times?.at ?? kind.since ?? 0));
}

/**
 * Returns the ordinals of the users whose values might differ between a column and a state, because of events or of time. Returns
 * `null` if they can't be determined, or if they are too many.
 */
function listDiffering(
  { position }: ReadState,
  { log }: OrganizationColumns,
  { kind, column }: NeededColumn,
): ReadonlySet<number> | null {
  const changed = log.listChangedBetween(column.position, position);
  if (changed === null || kind.moving === undefined || column.times === null) return changed;
  const due = column.times.listDue(kind.moving.at);
  if (due === null || due.size === 0) return due === null ? null : changed;
  return changed.size === 0 ? due : new Set([...changed, ...due]);
}

function hasSource<Name extends SourceName>(
  kind: AnyColumnDefinition | ColumnDefinition<Name>,
  name: Name,
): kind is ColumnDefinition<Name> {
  return kind.source === name;
}

/** Wraps a user's rows, so that columns of any kind can be computed from them. The kind must have the rows' source. */
function createUserRows<Name extends SourceName>(name: Name, rows: readonly RowTypes[Name][]): UserRows {
  const expectSource = (kind: AnyColumnDefinition): ColumnDefinition<Name> => {
    if (!hasSource(kind, name)) throw new Error(`a column of ${kind.source} has no values in ${name}`);
    return kind;
  };
  return {
    computeValues: (kind, at) => expectSource(kind).computeValues(rows, at),
    findNextChange: (kind, at) =>
      expectSource(kind).moving?.findNextChange(rows, at) ?? Number.POSITIVE_INFINITY,
  };
}

/** Stores what a column has to know about a user, as of a time. */
function storeUser(
  { kind, column }: NeededColumn,
  ordinal: number,
  rows: UserRows | undefined,
  at: number,
): void {
  column.put(ordinal, rows?.computeValues(kind, at) ?? []);
  column.times?.put(ordinal, rows?.findNextChange(kind, at) ?? Number.POSITIVE_INFINITY);
}

/**
 * Brings a column up to a state's position and to the time of the call.
 * @param differing the users whose values might differ.
 */
function advanceColumn(
  needed: NeededColumn,
  position: number,
  differing: ReadonlySet<number>,
  sourceRows: ReadonlyMap<number, UserRows> | undefined,
): void {
  const { kind, column } = needed;
  const { times } = column;
  let hasDue = false;
  for (const ordinal of differing) {
    const rows = sourceRows?.get(ordinal);
    storeUser(needed, ordinal, rows, times?.at ?? 0);
    // Until some user is due, the column stays at its time, so that a call that began earlier can use it too.
    if (times === null || kind.moving === undefined || !times.isDue(ordinal, kind.moving.at)) continue;
    storeUser(needed, ordinal, rows, kind.moving.at);
    hasDue = true;
  }
  if (hasDue && kind.moving !== undefined) times?.advance(kind.moving.at);
  column.position = position;
}

/** Evaluates the queries synchronously, so that no other call changes a column in between. */
function computeMatches(
  { position, users }: ReadState,
  needs: NeededColumns,
  differing: ReadonlyMap<string, ReadonlySet<number>>,
  rowsBySource: RowsBySource,
  queries: readonly ColumnQuery[],
): MatchResult[] {
  for (const [key, needed] of needs) {
    const { kind, column } = needed;
    if (column.position > position) continue;
    advanceColumn(needed, position, differing.get(key) ?? noOrdinals, rowsBySource.get(kind.source));
  }
  return queries.map(({ kind, match, isOpposite }) => {
    const column = needs.get(kind.key)?.column;
    if (column === undefined) return Bitmap.empty;
    if (column.position === position) return column.filterUsers(users, match, isOpposite);
    const laterMatches = column.findMatches(match);
    if (laterMatches === null) return null;
    const sourceRows = rowsBySource.get(kind.source);
    const set = applyChanges(laterMatches, differing.get(kind.key) ?? noOrdinals, (ordinal) =>
      (sourceRows?.get(ordinal)?.computeValues(kind, kind.moving?.at ?? 0) ?? []).some((value) =>
        matchesValue(match, value),
      ),
    );
    return isOpposite ? users.without(set) : users.and(set);
  });
}

const noOrdinals: ReadonlySet<number> = new Set();
