import type { OpenTransaction, SyncTransaction } from "../../../src/storage/storage-adapter.js";
import { isInTransaction, memoizeByHost, readPath, returnsRows, type WithIsOpen } from "./bridge.js";
import type { PgResult } from "./pg.js";

/** A Drizzle transaction on `better-sqlite3`, as passed to the `db.transaction` callback. */
export interface DrizzleSqliteTransaction {
  /** Runs a statement that returns rows. */
  all(statement: never): unknown[];
  /** Runs a statement that returns no rows, and returns how many rows it changed. */
  run(statement: never): { readonly changes: number };
}

/** A Drizzle transaction on `pg` (`drizzle-orm/node-postgres`), as passed to the `db.transaction` callback. */
export interface DrizzlePgTransaction {
  /** Runs any statement and resolves to the result from `pg`. */
  execute(statement: never): PromiseLike<PgResult>;
  /** Rolls the transaction back. Drizzle connections don't have this method, so its presence identifies a transaction. */
  rollback(): never;
}

/** Wraps raw SQL and its parameters in the object that Drizzle expects for a statement. */
function createStatement(sql: string, parameters: readonly unknown[]): never {
  const statement = {
    getSQL: () => statement,
    toQuery: () => ({ sql, params: [...parameters] }),
  };
  // Drizzle's statement type can't be named here, so the methods above are declared to take `never`.
  return statement as never;
}

/**
 * Adapts a Drizzle transaction on `better-sqlite3` or `pg` so that an organization can join it.
 * @throws {TypeError} if the argument is the `db` object of a `pg` database instead of a transaction.
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
  return isPgTransaction(tx) ? adaptPgTransaction(tx) : adaptSqliteTransaction(tx);
}

function isPgTransaction(tx: DrizzleSqliteTransaction | DrizzlePgTransaction): tx is DrizzlePgTransaction {
  return typeof tx === "object" && tx !== null && "execute" in tx;
}

const adaptSqliteTransaction = memoizeByHost(
  (tx: DrizzleSqliteTransaction): SyncTransaction & WithIsOpen => ({
    isOpen: () => isInTransaction(readPath(tx, "session", "client")),
    query(sql, parameters) {
      const statement = createStatement(sql, parameters);
      try {
        if (!returnsRows(sql)) return { rows: [], count: tx.run(statement).changes };
        const rows = tx.all(statement);
        if (!Array.isArray(rows)) throw new TypeError("expected a Drizzle transaction on better-sqlite3");
        return { rows, count: rows.length };
      } catch (error) {
        throw unwrapDriverError(error);
      }
    },
  }),
);

const adaptPgTransaction = memoizeByHost(
  (tx: DrizzlePgTransaction): OpenTransaction & WithIsOpen => ({
    // The server rejects a savepoint outside a transaction.
    isOpen: () => null,
    async query(sql, parameters) {
      try {
        const { rows, rowCount } = await tx.execute(createStatement(sql, parameters));
        return { rows, count: rowCount ?? 0 };
      } catch (error) {
        throw unwrapDriverError(error);
      }
    },
  }),
  "the tx from Drizzle's db.transaction",
  // Only a transaction has `rollback`.
  (tx) => typeof tx.rollback === "function",
);

/** Unwraps the driver's error from Drizzle's. */
function unwrapDriverError(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? error.cause : error;
}
