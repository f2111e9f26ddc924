import { failure } from "../../src/errors.js";

/** Serialization failure and deadlock: everything is rolled back, and another run can succeed. */
const lostRaces: ReadonlySet<string> = new Set(["40001", "40P01"]);

/**
 * What passes, by the class of its SQLSTATE (PostgreSQL, Appendix A): connection exception, transaction rollback,
 * insufficient resources, operator intervention (also a statement timeout).
 */
const passingClasses = /^(08|40|53|57)/;

/** No lock was had in time; a transaction timed out; the server became one that only reads. */
const passingStates: ReadonlySet<string> = new Set(["55P03", "25P03", "25P04", "25006"]);

/** True when the transaction is rolled back because of others, so that running it again can help. */
export function isLostRace(error: unknown): boolean {
  return lostRaces.has(sqlStateOf(error) ?? "");
}

/**
 * What a caller of the port gets for an error of the driver: `storage_unavailable` where the server is busy, stopping or
 * out of reach, else the error.
 */
export function translated(error: unknown): unknown {
  return isPassing(error) ? failure("storage_unavailable", null, { cause: error }) : error;
}

function isPassing(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === null ? isOfConnection(error) : passingClasses.test(state) || passingStates.has(state);
}

/** The SQLSTATE of what the server told; null for what it did not. A host's copy of the driver has classes of its own. */
function sqlStateOf(error: unknown): string | null {
  if (!(error instanceof Error && "severity" in error && "code" in error)) return null;
  return typeof error.code === "string" ? error.code : null;
}

/** The system's codes (`ECONNREFUSED`), and those that Node has for a socket; its others tell of wrong arguments. */
const socketCodes = /^(E(?!RR_)|ERR_(STREAM|SOCKET)_)[A-Z_]+$/;

/** What the driver says of a connection, or of a pool that its host ended. */
const connectionMessages =
  /^(Connection|Client (was|has)|timeout (exceeded|expired)|Query read timeout|Cannot use a pool)/i;

/** What the driver tells of a connection has no class either: the system's code, or only a message. */
function isOfConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("code" in error && typeof error.code === "string") return socketCodes.test(error.code);
  return connectionMessages.test(error.message);
}
