import { unavailable } from "../../../src/base/errors.js";

/** SQLSTATEs for serialization failure and deadlock. The transaction has been rolled back, and a retry can succeed. */
const conflictStates: ReadonlySet<string> = new Set(["40001", "40P01"]);

/**
 * Matches temporary errors by SQLSTATE class (PostgreSQL, Appendix A): connection exception, invalid authorization, transaction
 * rollback, insufficient resources, and operator intervention, which includes statement timeouts.
 */
const temporaryClasses = /^(08|28|40|53|57)/;

/**
 * Further SQLSTATEs of temporary errors: unknown database, lock timeout, transaction timeouts, and a server that has become
 * read-only.
 */
const temporaryStates: ReadonlySet<string> = new Set(["3D000", "55P03", "25P03", "25P04", "25006"]);

/**
 * Matches errors after which a connection can't be used again: it is lost or ending, or it was opened before the server became
 * read-only.
 */
const brokenConnectionStates = /^(08|25006|25P03|57P)/;

/**
 * Matches login and database errors. While a service is running, an operator may be about to fix them, so they count as temporary.
 * While it is being opened, an operator is watching.
 */
const loginErrorStates = /^(28|3D000)/;

/** SQLSTATEs for an undefined table and an undefined column. */
const missingTableCodes = /^(42P01|42703)$/;

const READ_ONLY = "25006";
const NO_TRANSACTION = "25P01";

/**
 * Returns whether the error means that the transaction was rolled back because of a conflict with other transactions, in which case
 * a retry might succeed.
 */
export function isRetryable(error: unknown): boolean {
  return conflictStates.has(findSqlState(error) ?? "");
}

/** Returns whether the error means that the connection can no longer be used. */
export function isConnectionLost(error: unknown): boolean {
  const state = findSqlState(error);
  return state === null ? isConnectionError(error) : brokenConnectionStates.test(state);
}

/** Returns whether the driver timed out while waiting for a connection. */
export function isConnectTimeout(error: unknown): boolean {
  return (
    error instanceof Error &&
    /^(timeout (exceeded|expired)|Connection terminated due to connection timeout)/.test(error.message)
  );
}

/** Returns whether a statement failed because the server is read-only, either as a replica or by configuration. */
export function isReadOnly(error: unknown): boolean {
  return findSqlState(error) === READ_ONLY;
}

/** Returns whether a statement failed because a table or column doesn't exist. */
export function isSchemaMismatch(error: unknown): boolean {
  return missingTableCodes.test(findSqlState(error) ?? "");
}

/** Returns whether a statement failed because no transaction was open. */
export function isOutsideTransaction(error: unknown): boolean {
  return findSqlState(error) === NO_TRANSACTION;
}

/** Returns whether connecting failed because the server rejected the login or the requested database doesn't exist. */
export function isLoginRefused(error: unknown): boolean {
  return loginErrorStates.test(findSqlState(error) ?? "");
}

/**
 * Converts a driver error to a storage port error.
 * @returns `storage_unavailable` for a temporary error, such as when the server is busy, stopping, or unreachable. Any other error
 *   is returned unchanged.
 */
export function toPortError(error: unknown): unknown {
  if (!isTemporary(error)) return error;
  return unavailable(classifyError(error), isReadOnly(error) ? readOnlyError(error) : error);
}

function classifyError(error: unknown): Parameters<typeof unavailable>[0] {
  const state = findSqlState(error) ?? "";
  if (state === READ_ONLY) return "readOnly";
  if (loginErrorStates.test(state)) return "refused";
  if (state.startsWith("40")) return "raced";
  if (state === "53100") return "full";
  // A statement or transaction that timed out was often waiting for a lock.
  if (/^(55P03|57014|25P0[34])$/.test(state)) return "locked";
  if (state.startsWith("53")) return "crowded";
  return error instanceof Error && error.message.startsWith("Cannot use a pool") ? "closed" : "unreachable";
}

function readOnlyError(cause: unknown): Error {
  const error = new Error(
    "the Postgres server is read-only, because it is a replica or default_transaction_read_only is on; connect to the primary",
    { cause },
  );
  return Object.assign(error, { code: READ_ONLY });
}

function isTemporary(error: unknown): boolean {
  const state = findSqlState(error);
  return state === null
    ? isConnectionError(error)
    : temporaryClasses.test(state) || temporaryStates.has(state);
}

/**
 * Returns the SQLSTATE of a server error, or null for any other error. It doesn't use `instanceof`, because a host's copy of the
 * driver has its own classes.
 */
function findSqlState(error: unknown): string | null {
  if (!(error instanceof Error && "severity" in error && "code" in error)) return null;
  return typeof error.code === "string" ? error.code : null;
}

/**
 * Matches system error codes such as `ECONNREFUSED` and Node.js's socket and stream codes. Node.js's other codes are for invalid
 * arguments.
 */
const socketCodes = /^(E(?!RR_)|ERR_(STREAM|SOCKET)_)[A-Z_]+$/;

/** Matches the driver's messages about a connection, or about a pool that its host has ended. */
const connectionMessages =
  /^(Connection|Client (was|has)|timeout (exceeded|expired)|Query read timeout|Cannot use a pool)/i;

/**
 * Returns whether a driver error is about the connection. These errors have no class of their own, only a system error code or a
 * message.
 */
function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("code" in error && typeof error.code === "string") return socketCodes.test(error.code);
  return connectionMessages.test(error.message);
}
