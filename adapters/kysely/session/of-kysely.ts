import { CompiledQuery, type Transaction } from "kysely";
import type { HostTransaction, OpenTransaction } from "../../../src/storage/storage-adapter.js";

/** One for each, so that calls on one transaction find each other. */
const known = new WeakMap<Transaction<unknown>, OpenTransaction>();

/** A host's Kysely may be a copy of its own, so its classes are not ours. */
export function isOfKysely(host: HostTransaction): host is Transaction<unknown> {
  return (
    typeof host === "object" &&
    host !== null &&
    "isTransaction" in host &&
    host.isTransaction === true &&
    "executeQuery" in host &&
    "withoutPlugins" in host
  );
}

/** What runs statements in it. */
export function ofKysely(host: Transaction<unknown>): OpenTransaction {
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
