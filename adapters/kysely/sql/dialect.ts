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

/** The differences between SQL databases. */
export interface SqlDialect {
  /** Builds and compiles queries. It runs none: a {@link Session} does. */
  readonly db: Kysely<Tables>;
  readonly columns: {
    /** Compares by code point and so, too, sorts. */
    readonly text: ColumnDataType | RawBuilder<unknown>;
    /** Holds every integer that a JavaScript number holds exactly. */
    readonly integer: ColumnDataType | RawBuilder<unknown>;
    readonly bytes: ColumnDataType | RawBuilder<unknown>;
  };
  readonly tableEnd: {
    readonly plain: RawBuilder<unknown>;
    /** Ends a table of small rows that are always found by its primary key. */
    readonly keyed: RawBuilder<unknown>;
  };
  /** True where transactions run side by side: each locks the rows of its organizations before all else. */
  readonly locksOrganizations: boolean;
  /** True where `text` has `part` in it to the letter; not true where `text` is null. */
  contains(text: Expression<string | null>, part: Expression<string>): Expression<SqlBool>;
  /** {@link contains} for one text or more of a list that {@link listParameter} made. */
  containsAny(text: Expression<string>, list: Expression<unknown>): Expression<SqlBool>;
  /** True where `value` is in a list that {@link listParameter} made. */
  isOneOf(value: Expression<string | number | null>, list: Expression<unknown>): Expression<SqlBool>;
  /** A list of any length as one parameter, so that one statement serves all lengths. */
  listParameter(values: readonly (string | number)[]): unknown;
  /** All values of a query as the text of one JSON array, in the order of its rows, which costs a fraction of a row for each. */
  jsonArray(value: Expression<number | string | null>): RawBuilder<string>;
  readonly eventPlaces: EventLocator;
  readonly flips: ChunkDeltas;
  /** Adds many rows in the way that is fastest here. */
  readonly rowInserts: InsertsOfRows;
  readonly adoptRows: InsertRawRows;
  /** `null` if every index has a user from the first on. */
  readonly lateUsers: UnindexedUsers | null;
  /** A row when there is a table of this name, else none. */
  tableNamed(name: string): CompiledQuery<unknown>;
  readonly search: SearchIndex;
  /** Take the tables from version 1 to version 2, from version 2 to version 3, and so on: see `migrations.ts`. */
  readonly migrations: readonly ((dialect: SqlDialect, session: Session) => Step<void>)[];
  /**
   * The newest version of the tables, as a transaction that writes has to see it: where transactions run side by side, none
   * that has read it goes on after a migration.
   */
  readonly version: RawBuilder<number | null>;
  /** Begin a migration to a version, so that what {@link version} says of it holds. */
  migrationFence(version: number): readonly CompiledQuery<unknown>[];
  /** Tell the planner, after every migration, what the tables will be like. */
  readonly plannerHints: readonly CompiledQuery<unknown>[];
}
