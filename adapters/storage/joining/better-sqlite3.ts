import type { SyncTransaction } from "../../../src/storage/storage-adapter.js";
import { memoizeByHost } from "./bridge.js";

/** The subset of a `better-sqlite3` connection that {@link fromBetterSqlite3} uses. */
export interface BetterSqlite3Connection {
  /** Whether a transaction is open on the connection. If this is `false`, the library's calls throw a `TypeError`. */
  readonly inTransaction: boolean;
  /** Prepares a statement, which can then be run several times. */
  prepare(sql: string): BetterSqlite3Statement;
}

interface BetterSqlite3Statement {
  readonly reader: boolean;
  all(...parameters: unknown[]): unknown[];
  run(...parameters: unknown[]): { readonly changes: number };
}

/** Maximum number of prepared statements cached per connection. */
const MAX_CACHED_STATEMENTS = 256;

/**
 * Adapts the transaction that is open on a `better-sqlite3` connection so that an organization can join it. You can reuse the
 * result for later transactions on the same connection. Calls fail with a `TypeError` while no transaction is open.
 * @example
 * import Database from "better-sqlite3";
 * import { fromBetterSqlite3 } from "loyalty-kit/joining";
 *
 * const connection = new Database("cafe.db");
 * connection.exec("begin immediate");
 * cafe.joiningSync(fromBetterSqlite3(connection)).users.create({ email: "anna@example.com" });
 * connection.exec("commit");
 */
export const fromBetterSqlite3: (connection: BetterSqlite3Connection) => SyncTransaction = memoizeByHost(
  (connection: BetterSqlite3Connection) => {
    const statements = new Map<string, BetterSqlite3Statement>();

    function prepareStatement(sql: string): BetterSqlite3Statement {
      const cached = statements.get(sql);
      if (cached !== undefined) return cached;
      const compiled = connection.prepare(sql);
      for (const oldest of statements.keys()) {
        if (statements.size < MAX_CACHED_STATEMENTS) break;
        statements.delete(oldest);
      }
      statements.set(sql, compiled);
      return compiled;
    }

    return {
      isOpen: () => connection.inTransaction,
      query(sql, parameters) {
        const preparedStatement = prepareStatement(sql);
        if (preparedStatement.reader) {
          const rows = preparedStatement.all(...parameters);
          return { rows, count: rows.length };
        }
        return { rows: [], count: preparedStatement.run(...parameters).changes };
      },
    };
  },
);
