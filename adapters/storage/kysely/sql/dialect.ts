import type { ColumnDataType, CompiledQuery, Expression, Kysely, RawBuilder, SqlBool } from "kysely";
import type { Step } from "../../../../src/base/concurrency/step.js";
import type { Session } from "../session/session.js";
import type { EventLocator } from "./event-locator.js";
import type { CreateRowInserts, InsertRawRows } from "./row-inserts.js";
import type { SearchIndex, UnindexedUsers } from "./search-index.js";
import type { Tables } from "./tables.js";

/** The parts of the SQL storage that differ between databases. */
export interface SqlDialect {
  /** Builds and compiles queries. A {@link Session} runs the compiled queries. */
  readonly db: Kysely<Tables>;
  readonly columns: {
    /** The type of string columns, which compare and sort by code point. */
    readonly text: ColumnDataType | RawBuilder<unknown>;
    /** The type of integer columns, which hold every integer that a JavaScript number represents exactly. */
    readonly integer: ColumnDataType | RawBuilder<unknown>;
    readonly bytes: ColumnDataType | RawBuilder<unknown>;
  };
  readonly tableEnd: {
    readonly plain: RawBuilder<unknown>;
    /** The end of a table definition, for tables of small rows that are always looked up by primary key. */
    readonly keyed: RawBuilder<unknown>;
  };
  /** Whether transactions run in parallel. If so, each transaction must lock its organization's row before doing anything else. */
  readonly locksOrganizations: boolean;
  /** Builds a condition that is true if `text` contains the exact string `part`. It isn't true if `text` is `null`. */
  contains(text: Expression<string | null>, part: Expression<string>): Expression<SqlBool>;
  /** Builds a condition that is true if `text` contains at least one of the strings in a list from {@link listParameter}. */
  containsAny(text: Expression<string>, list: Expression<unknown>): Expression<SqlBool>;
  /** Builds a condition that is true if `value` is in a list from {@link listParameter}. */
  isOneOf(value: Expression<string | number | null>, list: Expression<unknown>): Expression<SqlBool>;
  /** Encodes a list as a single parameter, so that the same statement works for lists of any length. */
  listParameter(values: readonly (string | number)[]): unknown;
  /**
   * Builds an expression that collects a value from all of a query's rows into one JSON array, in row order. This is much cheaper
   * than reading one row per value.
   */
  jsonArray(value: Expression<number | string | null>): RawBuilder<string>;
  readonly eventLocator: EventLocator;
  readonly chunkDeltas: ChunkDeltas;
  /** Creates functions that insert many rows, using the fastest method for this database. */
  readonly createRowInserts: CreateRowInserts;
  readonly insertRawRows: InsertRawRows;
  /** Support for users who aren't indexed yet, or `null` if new users are added to all indexes immediately. */
  readonly unindexedUsers: UnindexedUsers | null;
  /** Builds a query that returns one row if a table with this name exists, or no rows otherwise. */
  selectTable(name: string): CompiledQuery<unknown>;
  readonly search: SearchIndex;
  /** The migrations, starting with the one from version 1 to version 2. See `migrations.ts`. */
  readonly migrations: readonly ((dialect: SqlDialect, session: Session) => Step<void>)[];
  /**
   * An expression for the current schema version, for use in a transaction that writes. If transactions run in parallel, evaluating
   * the expression makes migrations wait until the transaction ends.
   */
  readonly version: RawBuilder<number | null>;
  /**
   * Builds the statements that begin a migration. They make the migration wait for every transaction that has evaluated
   * {@link version}.
   */
  migrationFence(version: number): readonly CompiledQuery<unknown>[];
  /** Statements that give the query planner information about the tables' expected contents. They run after every migration. */
  readonly plannerHints: readonly CompiledQuery<unknown>[];
}

/** Limits how many deltas a row may store in addition to a chunk. `chunk-encoding.ts` describes deltas. */
interface ChunkDeltas {
  /** Returns the maximum number of deltas in a chunk's row, or 0 if deltas don't make writing a row cheaper. */
  maxDeltasFor(organizationId: string): number;
}
