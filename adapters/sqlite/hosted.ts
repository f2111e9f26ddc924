import { run } from "../../src/concurrency/step.js";
import type { OpenTransaction } from "../../src/storage/storage-adapter.js";
import type { HostedDialect } from "../kysely/session/hosted-session.js";
import { BusyRetry } from "./connection/busy.js";
import { isStale, translated } from "./connection/errors.js";
import type { Writer } from "./writer/writer.js";

/** Changes nothing, but takes the one lock for writing. */
const lock = "delete from loyalty_organizations where organization_id is null";

/**
 * The open transaction of a host, on a connection of its own.
 * @param writer keeps its own transactions away while the host's gets the lock: SQLite would wait for them without letting
 *   them go on, when the host's connection has a timeout.
 */
export function hosted(writer: Writer): HostedDialect {
  return {
    async beforeChange(host: OpenTransaction) {
      await assertForeignKeys(host);
      await run(new BusyRetry().run(() => writer.between(() => takeLock(host))));
    },
    isOpen,
    rowOf,
    translated,
  };
}

/** A transaction that the storage has begun itself, which has the lock and checks foreign keys. */
export const lent: HostedDialect = { beforeChange: async () => {}, isOpen, rowOf, translated };

/** Inside a transaction none can be begun. */
async function isOpen(host: OpenTransaction): Promise<boolean> {
  try {
    await host.query("begin", []);
  } catch {
    return true;
  }
  await host.query("rollback", []);
  return false;
}

async function takeLock(host: OpenTransaction): Promise<void> {
  try {
    await host.query(lock, []);
  } catch (error) {
    throw isStale(error) ? translated(error) : error;
  }
}

async function assertForeignKeys(host: OpenTransaction): Promise<void> {
  const { rows } = await host.query("pragma foreign_keys", []);
  const [row] = rows;
  const isOn =
    typeof row === "object" && row !== null && "foreign_keys" in row && Number(row.foreign_keys) === 1;
  if (!isOn) throw new TypeError("a connection that loyalty-kit joins needs `pragma foreign_keys = on`");
}

/** A host's driver may be told to give all integers as bigint; none of these is too large for a number. */
function rowOf(row: unknown): unknown {
  return Object.fromEntries(
    Object.entries(row ?? {}).map(([name, value]) => [
      name,
      typeof value === "bigint" ? Number(value) : value,
    ]),
  );
}
