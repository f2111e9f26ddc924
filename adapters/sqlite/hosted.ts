import { awaitInStep, runStep, type Step } from "../../src/concurrency/step.js";
import { unavailable } from "../../src/errors.js";
import type { OpenTransaction } from "../../src/storage/storage-adapter.js";
import type { Fence } from "../kysely/session/admission.js";
import { type HostedDialect, noTransactionError } from "../kysely/session/host-executor.js";
import { BusyRetry, tablesVersion } from "./connection/connection.js";
import { isBusy, isSnapshotStale, toPortError } from "./connection/errors.js";
import { secondLibraryError } from "./library/library-errors.js";
import type { Writer } from "./writer/writer.js";

/** Changes nothing, but takes the one lock for writing. */
const lock = "delete from loyalty_organizations where organization_id is null";

/** Makes sure that the file is open, and reads next to nothing. */
const touch = "select 1 from loyalty_organizations limit 1";

/** Transactions of hosts whose locks we see: what a bridge runs its statements with stays the same. */
const seen = new WeakSet<OpenTransaction>();

/**
 * The open transaction of a host, on a connection of its own.
 * @param writer keeps its own transactions away while the host's gets the lock: SQLite would wait for them without letting
 *   them go on, when the host's connection has a timeout.
 * @param fence lets each change in.
 */
export function createHostedDialect(writer: Writer, fence: Fence): HostedDialect {
  return {
    fence: null,
    beforeRead: (host) => assertLocksHold(host, writer),
    *beforeChange(host) {
      yield* assertLocksHold(host, writer);
      yield* assertForeignKeys(host);
      yield* new BusyRetry().run(() => writer.runBetweenTransactions(() => runStep(takeLock(host))));
      yield* letIn(host, fence);
    },
    isOpen,
    rowOf,
    toPortError: toPortError,
  };
}

/**
 * A host's open transaction with synchronous statements. It can't wait for one of our transactions, which would not continue in the
 * meantime, so it must hold the lock already. It waits for another process as its connection does.
 */
export function createSyncHostedDialect(writer: Writer, fence: Fence): HostedDialect {
  return {
    fence: null,
    beforeRead: (host) => assertLocksHold(host, writer),
    *beforeChange(host) {
      yield* assertLocksHold(host, writer);
      yield* assertForeignKeys(host);
      const patience = writer.isWriting ? yield* pragma(host, "busy_timeout", "timeout") : null;
      try {
        if (patience !== null) yield* awaitInStep(host.query("pragma busy_timeout = 0", []));
        yield* takeLock(host);
      } catch (error) {
        throw isBusy(error) ? unavailable("taken", error) : error;
      } finally {
        if (patience !== null) yield* awaitInStep(host.query(`pragma busy_timeout = ${patience}`, []));
      }
      yield* letIn(host, fence);
    },
    isOpen,
    rowOf,
    toPortError: toPortError,
  };
}

/** A transaction that the storage has begun itself: it was let in, has the lock, and checks foreign keys. */
export const managedDialect: HostedDialect = {
  fence: null,
  *beforeRead() {},
  *beforeChange() {},
  isOpen,
  rowOf,
  toPortError: toPortError,
};

/** Call it when the host has the lock: from then on the version stays as it is. */
function* letIn(host: OpenTransaction, fence: Fence): Step<void> {
  const { rows } = yield* awaitInStep(host.query(tablesVersion.sql, []));
  const [row] = rows;
  const version = typeof row === "object" && row !== null ? Reflect.get(row, "version") : null;
  fence.assertCurrent(version === null ? null : Number(version));
}

/** Inside a transaction none can be begun. */
function* isOpen(host: OpenTransaction): Step<boolean> {
  try {
    yield* awaitInStep(host.query("begin", []));
  } catch {
    return true;
  }
  yield* awaitInStep(host.query("rollback", []));
  return false;
}

/** Takes the lock in the transaction. @throws {TypeError} where none is open. */
function* takeLock(host: OpenTransaction): Step<void> {
  const isOpen = host.isOpen?.() ?? null;
  if (isOpen === false) throw noTransactionError();
  yield* isOpen === null ? lockWhereOpen(host) : lockNow(host);
}

/**
 * Takes the lock, and finds out whether a transaction is open. The deferral of constraints shows that: in a transaction it lasts
 * until its end, otherwise only until the next statement ends. So no statement fails, which the host's library might log.
 */
function* lockWhereOpen(host: OpenTransaction): Step<void> {
  const wasDeferring = yield* isDeferring(host);
  if (!wasDeferring) yield* awaitInStep(host.query("pragma defer_foreign_keys = on", []));
  try {
    yield* lockNow(host);
    if (yield* isDeferring(host)) return;
  } finally {
    if (!wasDeferring) yield* awaitInStep(host.query("pragma defer_foreign_keys = off", []));
  }
  throw noTransactionError();
}

function* lockNow(host: OpenTransaction): Step<void> {
  try {
    yield* awaitInStep(host.query(lock, []));
  } catch (error) {
    throw isSnapshotStale(error) ? toPortError(error) : error;
  }
}

function* isDeferring(host: OpenTransaction): Step<boolean> {
  return (yield* pragma(host, "defer_foreign_keys")) === 1;
}

/**
 * Checks that locks work between the host's connection and ours. They do within one SQLite library and between processes. Within a
 * process they belong to the process, so two libraries don't lock each other out.
 * @throws {TypeError} if the host opened the file with another library of this process.
 */
function* assertLocksHold(host: OpenTransaction, writer: Writer): Step<void> {
  writer.assertSoleLibrary();
  if (seen.has(host)) return;
  const mark = writer.libraryMark;
  const ofHost = yield* pragma(host, "soft_heap_limit");
  if (mark === null || ofHost !== mark) {
    yield* awaitInStep(host.query(touch, []));
    if (!writer.isSoleLibrary() && mark !== null) throw secondLibraryError();
  }
  seen.add(host);
}

function* assertForeignKeys(host: OpenTransaction): Step<void> {
  const isOn = (yield* pragma(host, "foreign_keys")) === 1;
  if (!isOn) throw new TypeError("a connection that loyalty-kit joins needs `pragma foreign_keys = on`");
}

/** @param column its name in the row, where that is another one. */
function* pragma(host: OpenTransaction, name: string, column = name): Step<number> {
  const { rows } = yield* awaitInStep(host.query(`pragma ${name}`, []));
  const [row] = rows;
  return typeof row === "object" && row !== null ? Number(Reflect.get(row, column)) : Number.NaN;
}

/** A host's driver may be set to give all integers as bigint; none of these is too large for a number. */
function rowOf(row: unknown): unknown {
  return Object.fromEntries(
    Object.entries(row ?? {}).map(([name, value]) => [
      name,
      typeof value === "bigint" ? Number(value) : value,
    ]),
  );
}
