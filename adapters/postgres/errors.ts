import { unavailable } from "../../src/errors.js";

/** Serialization failure and deadlock: everything is rolled back, and another run can succeed. */
const lostRaces: ReadonlySet<string> = new Set(["40001", "40P01"]);

/**
 * Matches errors that pass, by the class of their SQLSTATE (PostgreSQL, Appendix A): connection exception, invalid authorization,
 * transaction rollback, insufficient resources, operator intervention (also a statement timeout).
 */
const passingClasses = /^(08|28|40|53|57)/;

/** No such database; no lock was had in time; a transaction timed out; the server became one that only reads. */
const passingStates: ReadonlySet<string> = new Set(["3D000", "55P03", "25P03", "25P04", "25006"]);

/** Matches errors that a connection does not survive: it is lost, is ending, or was made when the server could still write. */
const spentStates = /^(08|25006|25P03|57P)/;

/**
 * Login and database errors: while a service runs, an operator may be about to fix them; when it is opened, an operator is
 * watching.
 */
const refusals = /^(28|3D000)/;

/** Undefined table, undefined column. */
const ofTables = /^(42P01|42703)$/;

const READ_ONLY = "25006";
const NO_TRANSACTION = "25P01";

/** True when the transaction is rolled back because of others, so that running it again can help. */
export function isRetryable(error: unknown): boolean {
  return lostRaces.has(findSqlState(error) ?? "");
}

/** True if the connection can't be used anymore. */
export function isConnectionLost(error: unknown): boolean {
  const state = findSqlState(error);
  return state === null ? isOfConnection(error) : spentStates.test(state);
}

/** True when the driver has waited for a connection for as long as it may. */
export function isConnectTimeout(error: unknown): boolean {
  return (
    error instanceof Error &&
    /^(timeout (exceeded|expired)|Connection terminated due to connection timeout)/.test(error.message)
  );
}

/** True when the server only reads: it is a replica, or is set so. */
export function isReadOnly(error: unknown): boolean {
  return findSqlState(error) === READ_ONLY;
}

/** True when a table or a column is not there that the statement names. */
export function isSchemaMismatch(error: unknown): boolean {
  return ofTables.test(findSqlState(error) ?? "");
}

/** True when a statement was refused for want of a transaction. */
export function isOutsideTransaction(error: unknown): boolean {
  return findSqlState(error) === NO_TRANSACTION;
}

/** True when the server refused the login, or has no such database. */
export function isLoginRefused(error: unknown): boolean {
  return refusals.test(findSqlState(error) ?? "");
}

/**
 * Turns an error of the driver into one of the storage port: `storage_unavailable` if the server is busy, stopping or unreachable,
 * and otherwise the same error.
 */
export function toPortError(error: unknown): unknown {
  if (!isPassing(error)) return error;
  return unavailable(classifyError(error), isReadOnly(error) ? readOnly(error) : error);
}

function classifyError(error: unknown): Parameters<typeof unavailable>[0] {
  const state = findSqlState(error) ?? "";
  if (state === READ_ONLY) return "readOnly";
  if (refusals.test(state)) return "refused";
  if (state.startsWith("40")) return "raced";
  if (state === "53100") return "full";
  // Statements and transactions that took too long have often waited for a lock.
  if (/^(55P03|57014|25P0[34])$/.test(state)) return "locked";
  if (state.startsWith("53")) return "crowded";
  return error instanceof Error && error.message.startsWith("Cannot use a pool") ? "closed" : "unreachable";
}

function readOnly(cause: unknown): Error {
  const error = new Error(
    "the Postgres server only reads: it is a replica, or default_transaction_read_only is on. Changes need the primary",
    { cause },
  );
  return Object.assign(error, { code: READ_ONLY });
}

function isPassing(error: unknown): boolean {
  const state = findSqlState(error);
  return state === null ? isOfConnection(error) : passingClasses.test(state) || passingStates.has(state);
}

/** The SQLSTATE of the server's error; null for any other. A host's copy of the driver has classes of its own. */
function findSqlState(error: unknown): string | null {
  if (!(error instanceof Error && "severity" in error && "code" in error)) return null;
  return typeof error.code === "string" ? error.code : null;
}

/** The system's codes (`ECONNREFUSED`), and those that Node has for a socket; its others are of wrong arguments. */
const socketCodes = /^(E(?!RR_)|ERR_(STREAM|SOCKET)_)[A-Z_]+$/;

/** Messages of the driver about a connection, or a pool that its host has ended. */
const connectionMessages =
  /^(Connection|Client (was|has)|timeout (exceeded|expired)|Query read timeout|Cannot use a pool)/i;

/** The driver's errors of a connection have no class either: they have the system's code, or only a message. */
function isOfConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("code" in error && typeof error.code === "string") return socketCodes.test(error.code);
  return connectionMessages.test(error.message);
}
