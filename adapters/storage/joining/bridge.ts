import type { OpenTransaction } from "../../../src/storage/storage-adapter.js";

/** The part of an adapted host transaction that indicates whether the transaction is open. */
export type WithIsOpen = Required<Pick<OpenTransaction, "isOpen">>;

/**
 * Returns a function that adapts a host object, such as a connection, and returns the same adapter for later calls with that
 * object.
 * @param expected a description of the expected argument, such as "an open transaction", for the error message.
 * @throws {TypeError} from the returned function if its argument isn't a suitable transaction.
 */
export function memoizeByHost<Host extends object, Bridge extends OpenTransaction & WithIsOpen>(
  make: (host: Host) => Bridge,
  expected = "an open transaction",
  isSuitable: (host: Host) => boolean = () => true,
): (host: Host) => Bridge {
  const bridges = new WeakMap<Host, Bridge>();
  return (host) => {
    if (!isHostObject(host) || "then" in host || !isSuitable(host))
      throw new TypeError(`expected ${expected}`);
    const bridge = bridges.get(host) ?? make(host);
    bridges.set(host, bridge);
    return bridge;
  };
}

/** Returns whether the value is an object or a function. Hosts that don't use type checking can pass any value. */
export function isHostObject(host: unknown): host is object {
  return typeof host === "function" || (typeof host === "object" && host !== null);
}

/**
 * Creates an error that looks like the driver's error for a lost connection. Use this for libraries that replace the driver's error
 * with their own.
 */
export function createConnectionLostError(cause: unknown): Error {
  return Object.assign(new Error("the connection is lost", { cause }), { code: "08006", severity: "FATAL" });
}

/** Returns the value of a nested property that isn't part of the declared types, or `undefined` if the property doesn't exist. */
export function readPath(value: unknown, ...[name, ...names]: string[]): unknown {
  if (name === undefined) return value;
  return typeof value === "object" && value !== null && name in value
    ? readPath(Reflect.get(value, name), ...names)
    : undefined;
}

/** Returns whether the `better-sqlite3` connection is in a transaction, or `null` if the value isn't such a connection. */
export function isInTransaction(connection: unknown): boolean | null {
  const isOpen = readPath(connection, "inTransaction");
  return typeof isOpen === "boolean" ? isOpen : null;
}

/**
 * Returns whether a statement returns rows, which some drivers need to know before they run it. A statement that sets a pragma
 * counts as returning no rows.
 */
export function returnsRows(sql: string): boolean {
  if (/^\s*pragma\s+(?!busy_timeout\b)\w+\s*=/i.test(sql)) return false;
  return /^\s*(select|values|pragma|explain)\b|\breturning\b/i.test(sql) || isSelectWithCte(sql);
}

/** Returns true if a `with` statement is a select. The first verb outside parentheses decides. */
function isSelectWithCte(sql: string): boolean {
  if (!/^\s*with\b/i.test(sql)) return false;
  let depth = 0;
  for (const [token] of sql.matchAll(/'(?:[^']|'')*'|"[^"]*"|[()]|\b(?:select|insert|update|delete)\b/gi)) {
    if (token === "(") depth += 1;
    else if (token === ")") depth -= 1;
    else if (depth === 0 && /^[a-z]/i.test(token)) return /^select$/i.test(token);
  }
  return false;
}
