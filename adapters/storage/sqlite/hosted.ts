import { awaitInStep, runStep, type Step } from "../../../src/base/concurrency/step.js";
import { unavailable } from "../../../src/base/errors.js";
import type { OpenTransaction } from "../../../src/storage/storage-adapter.js";
import type { Fence } from "../kysely/session/admission.js";
import { createNoTransactionError, type HostedDialect } from "../kysely/session/host-executor.js";
import {
  BusyRetry,
  isBusy,
  isSnapshotStale,
  tablesVersionQuery,
  toPortError,
} from "./connection/connection.js";
import { secondLibraryError } from "./library/file-guard.js";
import type { Writer } from "./writer/writer.js";

/** Takes the write lock without changing anything. */
const lockStatement = "delete from loyalty_organizations where organization_id is null";

/** Makes sure that the host's connection has opened the file, while reading almost nothing. */
const touchStatement = "select 1 from loyalty_organizations limit 1";

/**
 * Host transactions that have passed {@link assertLocksHold}. One check is enough, because a transaction's connection never
 * changes.
 */
const checkedHosts = new WeakSet<OpenTransaction>();

/**
 * Creates the dialect for a transaction that is open on the host's own connection.
 * @param writer the writer, which pauses its own transactions while the host's transaction acquires the lock. Otherwise, a host
 *   connection with a busy timeout would block the process while waiting for the writer's transactions, which can't finish while
 *   the process is blocked.
 * @param fence the fence that is checked before each change.
 */
export function createHostedDialect(writer: Writer, fence: Fence): HostedDialect {
  return {
    fence: null,
    beforeRead: (host) => assertLocksHold(host, writer),
    *beforeChange(host) {
      yield* assertLocksHold(host, writer);
      yield* assertForeignKeys(host);
      yield* new BusyRetry().run(() => writer.runBetweenTransactions(() => runStep(takeLock(host))));
      yield* assertSchemaVersion(host, fence);
    },
    isOpen,
    toRow,
    toPortError,
  };
}

/**
 * Creates the dialect for a host's open transaction with synchronous statements. While such a transaction waits, the storage
 * adapter's own transactions can't continue. If one of them is open, the host's transaction must therefore be able to acquire the
 * lock immediately. If another process holds the lock, the timeout of the host's connection applies.
 */
export function createSyncHostedDialect(writer: Writer, fence: Fence): HostedDialect {
  return {
    fence: null,
    beforeRead: (host) => assertLocksHold(host, writer),
    *beforeChange(host) {
      yield* assertLocksHold(host, writer);
      yield* assertForeignKeys(host);
      const busyTimeoutMs = writer.isWriting ? yield* readPragma(host, "busy_timeout", "timeout") : null;
      try {
        if (busyTimeoutMs !== null) yield* awaitInStep(host.query("pragma busy_timeout = 0", []));
        yield* takeLock(host);
      } catch (error) {
        throw isBusy(error) ? unavailable("taken", error) : error;
      } finally {
        if (busyTimeoutMs !== null)
          yield* awaitInStep(host.query(`pragma busy_timeout = ${busyTimeoutMs}`, []));
      }
      yield* assertSchemaVersion(host, fence);
    },
    isOpen,
    toRow,
    toPortError,
  };
}

/**
 * The dialect for a transaction that the storage adapter itself began. Such a transaction has already passed the fence, holds the
 * lock, and enforces foreign keys.
 */
export const managedDialect: HostedDialect = {
  fence: null,
  *beforeRead() {},
  *beforeChange() {},
  isOpen,
  toRow,
  toPortError,
};

/** Checks the schema version. Call it while the host holds the lock, because the version can't change from then on. */
function* assertSchemaVersion(host: OpenTransaction, fence: Fence): Step<void> {
  const { rows } = yield* awaitInStep(host.query(tablesVersionQuery.sql, []));
  const [row] = rows;
  const version = typeof row === "object" && row !== null ? Reflect.get(row, "version") : null;
  fence.assertCurrent(version === null ? null : Number(version));
}

/** Returns whether a transaction is open, by trying to begin one. This fails within a transaction. */
function* isOpen(host: OpenTransaction): Step<boolean> {
  try {
    yield* awaitInStep(host.query("begin", []));
  } catch {
    return true;
  }
  yield* awaitInStep(host.query("rollback", []));
  return false;
}

/**
 * Takes the lock within the transaction.
 * @throws {TypeError} if no transaction is open.
 */
function* takeLock(host: OpenTransaction): Step<void> {
  const isOpen = host.isOpen?.() ?? null;
  if (isOpen === false) throw createNoTransactionError();
  yield* isOpen === null ? lockIfOpen(host) : lockNow(host);
}

/**
 * Takes the lock and detects whether a transaction is open. It sets `defer_foreign_keys`, which lasts until the end of the
 * transaction if there is one, and otherwise only until the next statement ends. This way no statement fails, because the host's
 * library might log the failure.
 */
function* lockIfOpen(host: OpenTransaction): Step<void> {
  const wasDeferring = yield* isDeferring(host);
  if (!wasDeferring) yield* awaitInStep(host.query("pragma defer_foreign_keys = on", []));
  try {
    yield* lockNow(host);
    if (yield* isDeferring(host)) return;
  } finally {
    if (!wasDeferring) yield* awaitInStep(host.query("pragma defer_foreign_keys = off", []));
  }
  throw createNoTransactionError();
}

function* lockNow(host: OpenTransaction): Step<void> {
  try {
    yield* awaitInStep(host.query(lockStatement, []));
  } catch (error) {
    throw isSnapshotStale(error) ? toPortError(error) : error;
  }
}

function* isDeferring(host: OpenTransaction): Step<boolean> {
  return (yield* readPragma(host, "defer_foreign_keys")) === 1;
}

/**
 * Checks that locks work between the host's connection and the storage's connections. They work between processes and within one
 * SQLite library. Two libraries in the same process don't lock each other out, because locks belong to the process.
 * @throws {TypeError} if the host opened the file with another SQLite library in this process.
 */
function* assertLocksHold(host: OpenTransaction, writer: Writer): Step<void> {
  writer.assertSoleLibrary();
  if (checkedHosts.has(host)) return;
  const libraryId = writer.libraryId;
  const hostLibraryId = yield* readPragma(host, "soft_heap_limit");
  if (libraryId === null || hostLibraryId !== libraryId) {
    yield* awaitInStep(host.query(touchStatement, []));
    if (!writer.checkSoleLibrary() && libraryId !== null) throw secondLibraryError();
  }
  checkedHosts.add(host);
}

function* assertForeignKeys(host: OpenTransaction): Step<void> {
  const isOn = (yield* readPragma(host, "foreign_keys")) === 1;
  if (!isOn)
    throw new TypeError("a joined connection must have foreign keys enabled: run `pragma foreign_keys = on`");
}

/**
 * Reads a pragma as a number.
 * @param column the name of the result column, if it differs from the pragma's name.
 */
function* readPragma(host: OpenTransaction, name: string, column = name): Step<number> {
  const { rows } = yield* awaitInStep(host.query(`pragma ${name}`, []));
  const [row] = rows;
  return typeof row === "object" && row !== null ? Number(Reflect.get(row, column)) : Number.NaN;
}

/**
 * Converts bigints to numbers, because a host's driver may return all integers as bigints. None of the values is too large for a
 * number.
 */
function toRow(row: unknown): unknown {
  return Object.fromEntries(
    Object.entries(row ?? {}).map(([name, value]) => [
      name,
      typeof value === "bigint" ? Number(value) : value,
    ]),
  );
}
