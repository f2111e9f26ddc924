import type { Step } from "../../../../src/base/concurrency/step.js";
import { Bitmap } from "../../../../src/storage/bitmap.js";
import type { ReadSession } from "../session/session.js";
import type { LogPosition } from "./change-log.js";
import { matchesValue, UserColumn, type Value } from "./column.js";
import type { ColumnCache, OrganizationColumns } from "./column-cache.js";
import type { ColumnQuery, SourceKind } from "./column-tests.js";
import { withChanges } from "./match-cache.js";
import type { CardColumnName, RowsOf, SourceName, Sources } from "./sources.js";

/** A committed state of one organization's data, from which columns are read. */
export interface ReadState extends LogPosition {
  readonly session: ReadSession;
  readonly organizationId: string;
  /** All users that exist in this state. Columns can still contain values for deleted users. */
  readonly users: Bitmap;
}

/** The users who match a query, or `null` if the column doesn't contain enough data to find them. */
export type MatchResult = Bitmap | null;

/** The columns that one call needs, keyed by their kind's key. */
type NeededColumns = Map<string, { readonly kind: SourceKind; readonly column: UserColumn }>;

/** Rows of some users in one state. */
type KnownRows = Map<SourceName, Map<number, (kind: SourceKind) => readonly Value[]>>;

/** Creates the functions that load columns, keep them up to date, and evaluate queries against them. */
export function columnReads(sources: Sources) {
  /** Loads the columns of a state. Columns of the same source share one read. */
  function* load(
    { session, organizationId, position }: ReadState,
    kinds: readonly SourceKind[],
  ): Step<UserColumn[]> {
    const columns = kinds.map((kind) => ({ kind, column: new UserColumn(position) }));
    for (const name of sourceNames) {
      const sourceColumns = columns.filter(({ kind }) => kind.source === name);
      if (sourceColumns.length === 0) continue;
      const fields = new Set(sourceColumns.flatMap(({ kind }) => kind.field ?? []));
      yield* readEachUser(name, session, organizationId, fields, (ordinal, valuesOf) => {
        for (const { kind, column } of sourceColumns) {
          const values = valuesOf(kind);
          if (values.length > 0) column.put(ordinal, values);
        }
      });
    }
    return columns.map(({ column }) => column);
  }

  function* readEachUser<Name extends SourceName>(
    name: Name,
    session: ReadSession,
    organizationId: string,
    fields: ReadonlySet<CardColumnName>,
    each: (ordinal: number, valuesOf: (kind: SourceKind) => readonly Value[]) => void,
  ): Step<void> {
    yield* sources[name].all(session, organizationId, fields, (ordinal, rows: readonly RowsOf[Name][]) =>
      each(ordinal, getValuesOf(name, rows)),
    );
  }

  /** Reads the rows of users that are not known yet from one source. */
  function* learn<Name extends SourceName>(
    { session, organizationId }: ReadState,
    name: Name,
    ordinals: readonly number[],
    rowsBySource: KnownRows,
  ): Step<void> {
    const found = yield* sources[name].some(session, organizationId, ordinals);
    const sourceRows = rowsBySource.get(name) ?? new Map();
    rowsBySource.set(name, sourceRows);
    for (const ordinal of ordinals) sourceRows.set(ordinal, getValuesOf(name, found.get(ordinal) ?? []));
  }

  /** Evaluates queries with columns that are loaded for this call and never cached. */
  function* evaluateOwn(state: ReadState, queries: readonly ColumnQuery[]): Step<MatchResult[]> {
    const kinds = [...new Map(queries.map(({ kind }) => [kind.key, kind])).values()];
    const columns = yield* load(state, kinds);
    const byKey = new Map(kinds.map(({ key }, at) => [key, columns[at]]));
    return queries.map(({ kind, match, isOpposite }) => {
      const column = byKey.get(kind.key);
      return column === undefined ? Bitmap.empty : column.among(state.users, match, isOpposite);
    });
  }

  /** Returns the needed columns, and loads and caches missing ones. */
  function* findNeeded(
    state: ReadState,
    cached: OrganizationColumns,
    cache: ColumnCache,
    queries: readonly ColumnQuery[],
  ): Step<NeededColumns> {
    const found: NeededColumns = new Map();
    const missing = new Map<string, SourceKind>();
    for (const { kind } of queries) {
      const column = cached.columns.get(kind.key);
      const isKnown = column !== undefined && cached.log.between(column.position, state.position) !== null;
      if (isKnown) found.set(kind.key, { kind, column });
      else missing.set(kind.key, kind);
    }
    const kinds = [...missing.values()];
    const loaded = kinds.length === 0 ? [] : yield* load(state, kinds);
    for (const [at, kind] of kinds.entries()) {
      const column = loaded[at];
      if (column === undefined) continue;
      found.set(kind.key, { kind, column });
      cache.put(state.organizationId, cached, kind.key, column);
    }
    return found;
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
    const rowsBySource: KnownRows = new Map();
    for (;;) {
      const differing = new Map<string, ReadonlySet<number>>();
      const missing = new Map<SourceName, Set<number>>();
      for (const [key, { kind, column }] of needs) {
        const ordinals = cached.log.between(column.position, state.position);
        if (ordinals === null) return null;
        differing.set(key, ordinals);
        const sourceRows = rowsBySource.get(kind.source);
        for (const ordinal of ordinals) {
          if (sourceRows?.has(ordinal)) continue;
          missing.set(kind.source, (missing.get(kind.source) ?? new Set()).add(ordinal));
        }
      }
      if (missing.size === 0) return computeMatches(state, needs, differing, rowsBySource, queries);
      for (const [name, ordinals] of missing) yield* learn(state, name, [...ordinals], rowsBySource);
    }
  }

  return { own: evaluateOwn, needed: findNeeded, current: evaluateCurrent };
}

const sourceNames: readonly SourceName[] = ["cards", "metadata", "fields", "subscriptions"];

/** Returns a function that computes a column kind's values from a user's rows. The kind must have the same source. */
function getValuesOf<Name extends SourceName>(name: Name, rows: readonly RowsOf[Name][]) {
  return (kind: SourceKind): readonly Value[] => {
    if (kind.source !== name) throw new Error(`a column of ${kind.source} has no values in ${name}`);
    // The rows come from the kind's own source.
    return (kind.valuesOf as (rows: readonly RowsOf[Name][]) => readonly Value[])(rows);
  };
}

/** Evaluates the queries synchronously, so that no other call changes a column in between. */
function computeMatches(
  { position, users }: ReadState,
  needs: NeededColumns,
  differing: ReadonlyMap<string, ReadonlySet<number>>,
  rowsBySource: KnownRows,
  queries: readonly ColumnQuery[],
): MatchResult[] {
  const valuesOf = (kind: SourceKind, ordinal: number) =>
    rowsBySource.get(kind.source)?.get(ordinal)?.(kind) ?? [];
  for (const [key, { kind, column }] of needs) {
    if (column.position >= position) continue;
    for (const ordinal of differing.get(key) ?? []) column.put(ordinal, valuesOf(kind, ordinal));
    column.position = position;
  }
  return queries.map(({ kind, match, isOpposite }) => {
    const column = needs.get(kind.key)?.column;
    if (column === undefined) return Bitmap.empty;
    if (column.position === position) return column.among(users, match, isOpposite);
    const later = column.matching(match);
    if (later === null) return null;
    const set = withChanges(later, differing.get(kind.key) ?? [], (ordinal) =>
      valuesOf(kind, ordinal).some((value) => matchesValue(match, value)),
    );
    return isOpposite ? users.without(set) : users.and(set);
  });
}
