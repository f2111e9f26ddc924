import type { OpenTransaction } from "../../src/storage/storage-adapter.js";
import {
  connectionLostError,
  isHostObject,
  isInTransaction,
  memoizeByHost,
  readPath,
  type WithIsOpen,
} from "./bridge.js";

/** The part that is used of the query runner that a transaction of TypeORM is on. */
export interface TypeOrmQueryRunner {
  readonly isReleased: boolean;
  readonly isTransactionActive: boolean;
  query(sql: string, parameters: unknown[], useStructuredResult: true): Promise<TypeOrmResult>;
}

export interface TypeOrmResult {
  readonly records: readonly unknown[];
  readonly affected?: number | null | undefined;
}

/** A transaction of TypeORM gives an entity manager, which is on a query runner. */
export interface TypeOrmManager {
  readonly queryRunner?: TypeOrmQueryRunner | undefined;
}

/**
 * A transaction of TypeORM, on `better-sqlite3` or on `postgres`: the manager of `dataSource.transaction`, or a query runner.
 * @throws {TypeError} for a manager that is in no transaction.
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
  return ofRunner(isRunner(transaction) ? transaction : requireRunner(transaction));
}

/** A manager and a data source have a `query` too, which gives no counts. */
function isRunner(transaction: TypeOrmManager | TypeOrmQueryRunner): transaction is TypeOrmQueryRunner {
  return isHostObject(transaction) && "isReleased" in transaction;
}

function requireRunner(transaction: TypeOrmManager): TypeOrmQueryRunner {
  const runner = isHostObject(transaction) ? transaction.queryRunner : undefined;
  if (runner === undefined) throw new TypeError("the manager that dataSource.transaction gives is needed");
  return runner;
}

const ofRunner = memoizeByHost((runner: TypeOrmQueryRunner): OpenTransaction & WithIsOpen => ({
  isOpen: () => runner.isTransactionActive && isInTransaction(findConnection(runner)),
  async query(sql, parameters) {
    try {
      const { records, affected } = await runner.query(sql, [...parameters], true);
      return { rows: records, count: affected ?? records.length };
    } catch (error) {
      // TypeORM releases a runner in the middle of its transaction only when its connection is lost.
      const isLost = runner.isReleased && runner.isTransactionActive;
      throw isLost ? connectionLostError(error) : ofDriver(error);
    }
  },
}));

/** Returns the SQLite connection of a data source, which has one. TypeORM called the source a connection before version 1. */
function findConnection(runner: TypeOrmQueryRunner): unknown {
  const source = readPath(runner, "dataSource") ?? readPath(runner, "connection");
  return readPath(source, "driver", "databaseConnection");
}

/** TypeORM wraps what the driver throws. */
function ofDriver(error: unknown): unknown {
  return error instanceof Error && "driverError" in error ? error.driverError : error;
}
