import type { ColumnDataType, CompiledQuery, Expression, Kysely, RawBuilder, SqlBool } from "kysely";
import type { Step } from "../../../src/concurrency/step.js";
import type { Session } from "../session/session.js";
import type { ChunkDeltas } from "./chunk-deltas.js";
import type { EventLocator } from "./event-locator.js";
import type { InsertRawRows } from "./raw-row-inserts.js";
import type { InsertsOfRows } from "./row-inserts.js";
import type { SearchIndex } from "./search-index.js";
import type { Tables } from "./tables.js";
import type { UnindexedUsers } from "./unindexed-users.js";

/** How SQL databases differ. */
export interface SqlDialect {
  /** Builds and compiles queries. It doesn't run them: a {@link Session} does. */
  readonly db: Kysely<Tables>;
  readonly columns: {
    /** Compares and sorts by code point. */
    readonly text: ColumnDataType | RawBuilder<unknown>;
    /** Holds every integer that a JavaScript number represents exactly. */
    readonly integer: ColumnDataType | RawBuilder<unknown>;
    readonly bytes: ColumnDataType | RawBuilder<unknown>;
  };
  readonly tableEnd: {
    readonly plain: RawBuilder<unknown>;
    /** Ends the definition of a table of small rows that are always looked up by primary key. */
    readonly keyed: RawBuilder<unknown>;
  };
  /** True if transactions run in parallel. Each then locks its organizations' rows before anything else. */
  readonly locksOrganizations: boolean;
  /** True if `text` contains `part` exactly; not true if `text` is null. */
  contains(text: Expression<string | null>, part: Expression<string>): Expression<SqlBool>;
  /** Like {@link contains}, for at least one string in a list from {@link listParameter}. */
  containsAny(text: Expression<string>, list: Expression<unknown>): Expression<SqlBool>;
  /** True if `value` is in a list from {@link listParameter}. */
  isOneOf(value: Expression<string | number | null>, list: Expression<unknown>): Expression<SqlBool>;
  /** Encodes a list of any length as one parameter, so that one statement works for all lengths. */
  listParameter(values: readonly (string | number)[]): unknown;
  /** Returns all values of a query as one JSON array, in row order. This is much cheaper than one row per value. */
  jsonArray(value: Expression<number | string | null>): RawBuilder<string>;
  readonly eventPlaces: EventLocator;
  readonly flips: ChunkDeltas;
  /** Inserts many rows in the fastest way for this database. */
  readonly rowInserts: InsertsOfRows;
  readonly adoptRows: InsertRawRows;
  /** Support for unindexed users; `null` if every index contains new users immediately. */
  readonly lateUsers: UnindexedUsers | null;
  /** Returns a query that finds one row if a table with this name exists. */
  tableNamed(name: string): CompiledQuery<unknown>;
  readonly search: SearchIndex;
  /** Migrations from version 1 to 2, from version 2 to 3, and so on: see `migrations.ts`. */
  readonly migrations: readonly ((dialect: SqlDialect, session: Session) => Step<void>)[];
  /**
   * The newest version of the tables, as a writing transaction must see it. If transactions run in parallel, a migration waits for
   * every transaction that has read it.
   */
  readonly version: RawBuilder<number | null>;
  /** Returns the statements that begin a migration to a version and keep the promise of {@link version}. */
  migrationFence(version: number): readonly CompiledQuery<unknown>[];
  /** Statements that run after every migration and tell the planner about the tables' expected contents. */
  readonly plannerHints: readonly CompiledQuery<unknown>[];
}
