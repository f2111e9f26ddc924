import { CompiledQuery, type Transaction } from "kysely";
import type { HostTransaction, OpenTransaction } from "../../../src/storage/storage-adapter.js";

/** One for each, so that calls on one transaction find each other. */
const known = new WeakMap<Transaction<unknown>, OpenTransaction>();

/** What runs statements in a host's transaction. @throws {TypeError} when it is none. */
export function openTransactionOf(host: HostTransaction): OpenTransaction {
  if (isOfKysely(host)) return ofKysely(host);
  if (typeof host === "object" && host !== null && "query" in host && typeof host.query === "function") {
    return host;
  }
  throw new TypeError(
    "an open transaction is needed: one of Kysely, one of loyalty-kit/joining, or an object with query(sql, parameters)",
  );
}

/** A host's Kysely may be a copy of its own, so its classes are not ours. */
function isOfKysely(host: HostTransaction): host is Transaction<unknown> {
  return (
    typeof host === "object" &&
    host !== null &&
    "isTransaction" in host &&
    host.isTransaction === true &&
    "executeQuery" in host &&
    "withoutPlugins" in host
  );
}

function ofKysely(host: Transaction<unknown>): OpenTransaction {
  const open = known.get(host) ?? {
    async query(sql: string, parameters: readonly unknown[]) {
      const query = CompiledQuery.raw(sql, [...parameters]);
      const { rows, numAffectedRows } = await host.withoutPlugins().executeQuery(query);
      return { rows, count: Number(numAffectedRows ?? rows.length) };
    },
  };
  known.set(host, open);
  return open;
}
