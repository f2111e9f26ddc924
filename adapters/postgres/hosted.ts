import { awaitInStep } from "../../src/concurrency/step.js";
import { type HostedDialect, noTransactionError } from "../kysely/session/host-executor.js";
import { integerResults } from "../kysely/sql/integer-results.js";
import { isOutsideTransaction, toPortError } from "./errors.js";

/** The open transaction of a host, on any driver of Postgres that Kysely has. */
export const hosted: Omit<HostedDialect, "fence"> = {
  *beforeRead() {},
  // A change begins with the lock of its organization.
  *beforeChange() {},
  *isOpen(host) {
    try {
      // Outside of a transaction there are none.
      yield* awaitInStep(host.query("savepoint loyalty_look", []));
      yield* awaitInStep(host.query("release savepoint loyalty_look", []));
      return true;
    } catch {
      return false;
    }
  },
  /** A host's driver gives bigints as texts, unless it is set otherwise, and may not show which values were some. */
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
