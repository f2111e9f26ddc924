import { CompiledQuery, type Transaction } from "kysely";
import type {
  HostTransaction,
  OpenTransaction,
  SyncTransaction,
} from "../../../../src/storage/storage-adapter.js";

/** A library's object that isn't an open transaction, recognized by a distinctive property, and the value to pass instead. */
interface ForeignObject {
  readonly property: string;
  readonly instead: string;
}

/** Objects whose `query` method returns other results. */
const objectsWithQuery: readonly ForeignObject[] = [
  { property: "totalCount", instead: "fromPg(client) with one client from the pool" },
  { property: "connectionParameters", instead: "fromPg(client)" },
  { property: "isReleased", instead: "fromTypeOrm(queryRunner)" },
  {
    property: "getRepository",
    instead: "fromTypeOrm(manager) with the manager from dataSource.transaction",
  },
];

const objectsWithoutQuery: readonly ForeignObject[] = [
  { property: "then", instead: "the promise's result" },
  { property: "getTransactionContext", instead: "fromMikroOrm(em)" },
  { property: "$queryRawUnsafe", instead: "fromPrisma(tx) with the tx from prisma.$transaction" },
  { property: "raw", instead: "fromKnex(trx) with the trx from knex.transaction" },
  { property: "executeQuery", instead: "the trx from Kysely's db.transaction().execute" },
  { property: "inTransaction", instead: "fromBetterSqlite3(connection)" },
  { property: "dialect", instead: "fromDrizzle(tx) with the tx from db.transaction" },
];

/**
 * Converts a host's transaction to an {@link OpenTransaction}, which can run statements.
 * @throws {TypeError} if the value isn't a transaction. If possible, the message says what to pass instead.
 */
export function toOpenTransaction(host: HostTransaction): OpenTransaction {
  if (isKyselyTransaction(host)) return adaptKyselyTransaction(host);
  assertQueries(host);
  return host;
}

/**
 * Checks that a synchronous transaction can run queries, and returns it unchanged.
 * @throws {TypeError} under the same conditions as {@link toOpenTransaction}.
 */
export function toSyncTransaction(host: SyncTransaction): SyncTransaction {
  assertQueries(host);
  return host;
}

/** Throws unless the value can run queries. Untyped code may pass anything. */
function assertQueries(host: unknown): asserts host is OpenTransaction {
  const isObject = typeof host === "function" || (typeof host === "object" && host !== null);
  if (!isObject) throw new TypeError(`expected an open transaction, got ${String(host)}`);
  const hasQuery = typeof Reflect.get(host, "query") === "function";
  const candidates = hasQuery ? objectsWithQuery : objectsWithoutQuery;
  const other = candidates.find(({ property }) => Reflect.get(host, property) !== undefined);
  if (other !== undefined) throw new TypeError(`not an open transaction: pass ${other.instead}`);
  if (hasQuery) return;
  throw new TypeError(
    "expected an open transaction: a Kysely transaction, a wrapper from loyalty-kit/joining, or an object with query(sql, parameters)",
  );
}

/** One per Kysely transaction, so that calls on the same transaction share it. */
const openTransactions = new WeakMap<Transaction<unknown>, OpenTransaction>();

/** Checks properties instead of the class, because a host may load its own copy of Kysely. */
function isKyselyTransaction(host: HostTransaction): host is Transaction<unknown> {
  return (
    typeof host === "object" &&
    host !== null &&
    "isTransaction" in host &&
    host.isTransaction === true &&
    "executeQuery" in host &&
    "withoutPlugins" in host
  );
}

function adaptKyselyTransaction(host: Transaction<unknown>): OpenTransaction {
  const adapted = openTransactions.get(host) ?? {
    async query(sql: string, parameters: readonly unknown[]) {
      const query = CompiledQuery.raw(sql, [...parameters]);
      const { rows, numAffectedRows } = await host.withoutPlugins().executeQuery(query);
      return { rows, count: Number(numAffectedRows ?? rows.length) };
    },
  };
  openTransactions.set(host, adapted);
  return adapted;
}
