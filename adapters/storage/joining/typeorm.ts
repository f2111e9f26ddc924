import type { OpenTransaction } from "../../../src/storage/storage-adapter.js";
import {
  createConnectionLostError,
  isHostObject,
  isInTransaction,
  memoizeByHost,
  readPath,
  type WithIsOpen,
} from "./bridge.js";

/** The subset of a TypeORM query runner that {@link fromTypeOrm} uses. */
export interface TypeOrmQueryRunner {
  /** Whether the connection has been returned to the pool. */
  readonly isReleased: boolean;
  /** Whether a transaction is open on the connection. */
  readonly isTransactionActive: boolean;
  /** Runs a statement and resolves to its rows and the number of affected rows. */
  query(sql: string, parameters: unknown[], useStructuredResult: true): Promise<TypeOrmResult>;
}

export interface TypeOrmResult {
  readonly records: readonly unknown[];
  readonly affected?: number | null | undefined;
}

/** The entity manager that TypeORM passes to a transaction's callback. Statements run on its query runner. */
export interface TypeOrmManager {
  /** The transaction's query runner. Absent outside a transaction. */
  readonly queryRunner?: TypeOrmQueryRunner | undefined;
}

/**
 * Adapts a TypeORM transaction on `better-sqlite3` or `postgres` so that an organization can join it. Pass the entity manager
 * that the `dataSource.transaction` callback receives, or a query runner.
 * @throws {TypeError} if the argument is an entity manager outside a transaction.
 * @example
 * import { fromTypeOrm } from "loyalty-kit/joining";
 * import { DataSource } from "typeorm";
 *
 * const database = await new DataSource({ type: "postgres", url: "postgres://localhost/cafe" }).initialize();
 * await database.transaction(async (manager) => {
 *   await cafe.joining(fromTypeOrm(manager)).users.create({ email: "anna@example.com" });
 * });
 */
export function fromTypeOrm(transaction: TypeOrmManager | TypeOrmQueryRunner): OpenTransaction {
  return adaptQueryRunner(isRunner(transaction) ? transaction : requireRunner(transaction));
}

/** Returns true for a query runner. Managers and data sources also have a `query` method, but theirs doesn't return row counts. */
function isRunner(transaction: TypeOrmManager | TypeOrmQueryRunner): transaction is TypeOrmQueryRunner {
  return isHostObject(transaction) && "isReleased" in transaction;
}

function requireRunner(transaction: TypeOrmManager): TypeOrmQueryRunner {
  const runner = isHostObject(transaction) ? transaction.queryRunner : undefined;
  if (runner === undefined) throw new TypeError("expected the manager from dataSource.transaction");
  return runner;
}

const adaptQueryRunner = memoizeByHost((runner: TypeOrmQueryRunner): OpenTransaction & WithIsOpen => ({
  isOpen: () => runner.isTransactionActive && isInTransaction(findConnection(runner)),
  async query(sql, parameters) {
    try {
      const { records, affected } = await runner.query(sql, [...parameters], true);
      return { rows: records, count: affected ?? records.length };
    } catch (error) {
      // TypeORM releases a runner during its transaction only if the connection is lost.
      const isLost = runner.isReleased && runner.isTransactionActive;
      throw isLost ? createConnectionLostError(error) : unwrapDriverError(error);
    }
  },
}));

/**
 * Returns the data source's SQLite connection, or `undefined` for other databases. TypeORM called the data source `connection`
 * before version 1.
 */
function findConnection(runner: TypeOrmQueryRunner): unknown {
  const source = readPath(runner, "dataSource") ?? readPath(runner, "connection");
  return readPath(source, "driver", "databaseConnection");
}

/** Unwraps the driver's error from TypeORM's. */
function unwrapDriverError(error: unknown): unknown {
  return error instanceof Error && "driverError" in error ? error.driverError : error;
}
