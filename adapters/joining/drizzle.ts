import type { OpenTransaction, SyncTransaction } from "../../src/storage/storage-adapter.js";
import { isInTransaction, memoizeByHost, readPath, returnsRows, type WithIsOpen } from "./bridge.js";
import type { PgResult } from "./pg.js";

/** A transaction of Drizzle on `better-sqlite3`: the argument of `db.transaction((tx) => …)`. */
export interface DrizzleSqliteTransaction {
  all(statement: never): unknown[];
  run(statement: never): { readonly changes: number };
}

/** A transaction of Drizzle on `pg` (`drizzle-orm/node-postgres`). */
export interface DrizzlePgTransaction {
  execute(statement: never): PromiseLike<PgResult>;
  rollback(): never;
}

/** A statement as Drizzle takes one that it has not built itself: it asks it for its text and its parameters. */
function createStatement(sql: string, parameters: readonly unknown[]): never {
  const statement = {
    getSQL: () => statement,
    toQuery: () => ({ sql, params: [...parameters] }),
  };
  // Its type is Drizzle's, whose methods are declared above to take what can't be named here.
  return statement as never;
}

/**
 * A transaction of Drizzle, on `better-sqlite3` or on `pg`.
 * @throws {TypeError} on `pg`, for the `db` that begins transactions and is in none.
 * @example
 * import { drizzle } from "drizzle-orm/node-postgres";
 * import { fromDrizzle } from "loyalty-kit/joining";
 *
 * await drizzle("postgres://localhost/cafe").transaction(async (tx) => {
 *   await cafe.joining(fromDrizzle(tx)).users.create({ email: "anna@example.com" });
 * });
 */
export function fromDrizzle(tx: DrizzleSqliteTransaction): SyncTransaction;
export function fromDrizzle(tx: DrizzlePgTransaction): OpenTransaction;
export function fromDrizzle(tx: DrizzleSqliteTransaction | DrizzlePgTransaction): OpenTransaction {
  return isOfPg(tx) ? ofPg(tx) : ofSqlite(tx);
}

function isOfPg(tx: DrizzleSqliteTransaction | DrizzlePgTransaction): tx is DrizzlePgTransaction {
  return typeof tx === "object" && tx !== null && "execute" in tx;
}

const ofSqlite = memoizeByHost((tx: DrizzleSqliteTransaction): SyncTransaction & WithIsOpen => ({
  isOpen: () => isInTransaction(readPath(tx, "session", "client")),
  query(sql, parameters) {
    const statement = createStatement(sql, parameters);
    try {
      if (!returnsRows(sql)) return { rows: [], count: tx.run(statement).changes };
      const rows = tx.all(statement);
      if (!Array.isArray(rows)) throw new TypeError("a transaction of Drizzle on better-sqlite3 is needed");
      return { rows, count: rows.length };
    } catch (error) {
      throw ofDriver(error);
    }
  },
}));

const ofPg = memoizeByHost(
  (tx: DrizzlePgTransaction): OpenTransaction & WithIsOpen => ({
    // The server refuses a savepoint where none is.
    isOpen: () => null,
    async query(sql, parameters) {
      try {
        const { rows, rowCount } = await tx.execute(createStatement(sql, parameters));
        return { rows, count: rowCount ?? 0 };
      } catch (error) {
        throw ofDriver(error);
      }
    },
  }),
  "the tx that db.transaction of Drizzle gives",
  // Only a transaction can be rolled back.
  (tx) => typeof tx.rollback === "function",
);

/** Drizzle wraps what the driver throws. */
function ofDriver(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? error.cause : error;
}
