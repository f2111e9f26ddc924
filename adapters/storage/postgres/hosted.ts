import { awaitInStep } from "../../../src/base/concurrency/step.js";
import { type HostedDialect, noTransactionError } from "../kysely/session/host-executor.js";
import { integerResults } from "../kysely/sql/integer-results.js";
import { isOutsideTransaction, toPortError } from "./errors.js";

/** Dialect for a transaction that a host has opened with any Postgres driver that Kysely supports. */
export const hosted: Omit<HostedDialect, "fence"> = {
  *beforeRead() {},
  // Nothing to do, because every change begins by locking its organization.
  *beforeChange() {},
  *isOpen(host) {
    try {
      // Savepoints only exist within a transaction.
      yield* awaitInStep(host.query("savepoint loyalty_look", []));
      yield* awaitInStep(host.query("release savepoint loyalty_look", []));
      return true;
    } catch {
      return false;
    }
  },
  /**
   * Converts integers in a row to numbers. Unless configured otherwise, a host's driver returns bigints as strings, and it may not
   * indicate which values were bigints.
   */
  rowOf(row, query) {
    const integers = integerResults(query);
    return Object.fromEntries(
      Object.entries(row ?? {}).map(([name, value]) => [name, integers.has(name) ? toInteger(value) : value]),
    );
  },
  toPortError: (error) => (isOutsideTransaction(error) ? noTransactionError(error) : toPortError(error)),
};

function toInteger(value: unknown): unknown {
  return typeof value === "string" || typeof value === "bigint" ? Number(value) : value;
}
