import type { OpenTransaction } from "../../src/storage/storage-adapter.js";

/** Each bridge says how it knows whether its transaction is open. */
export type WithIsOpen = Required<Pick<OpenTransaction, "isOpen">>;

/**
 * Makes one bridge for each transaction, by which calls on the same one find each other.
 * @param needed what it is a bridge from, in words.
 * @throws {TypeError} from the function that it returns, for anything else.
 */
export function memoizeByHost<Host extends object, Bridge extends OpenTransaction & WithIsOpen>(
  make: (host: Host) => Bridge,
  needed = "an open transaction",
  isOne: (host: Host) => boolean = () => true,
): (host: Host) => Bridge {
  const made = new WeakMap<Host, Bridge>();
  return (host) => {
    if (!isHostObject(host) || "then" in host || !isOne(host)) throw new TypeError(`${needed} is needed`);
    const bridge = made.get(host) ?? make(host);
    made.set(host, bridge);
    return bridge;
  };
}

/** Code without types may give anything. */
export function isHostObject(host: unknown): host is object {
  return typeof host === "function" || (typeof host === "object" && host !== null);
}

/** Returns the error of a driver that has lost its connection, for which a library threw one of its own. */
export function connectionLostError(cause: unknown): Error {
  return Object.assign(new Error("the connection is lost", { cause }), { code: "08006", severity: "FATAL" });
}

/** Reads a property that the types don't have. */
export function readPath(of: unknown, ...[name, ...names]: string[]): unknown {
  if (name === undefined) return of;
  return typeof of === "object" && of !== null && name in of
    ? readPath(Reflect.get(of, name), ...names)
    : undefined;
}

/** Returns true when a connection of `better-sqlite3` is in a transaction; null when it is no such connection. */
export function isInTransaction(connection: unknown): boolean | null {
  const isOpen = readPath(connection, "inTransaction");
  return typeof isOpen === "boolean" ? isOpen : null;
}

/** Returns true when a statement gives rows, for drivers that have to know. A pragma that is set gives none. */
export function returnsRows(sql: string): boolean {
  if (/^\s*pragma\s+(?!busy_timeout\b)\w+\s*=/i.test(sql)) return false;
  return /^\s*(select|values|pragma|explain)\b|\breturning\b/i.test(sql) || isWithOfSelect(sql);
}

/** `with` may begin a statement of any kind: the first verb that is in no brackets decides. */
function isWithOfSelect(sql: string): boolean {
  if (!/^\s*with\b/i.test(sql)) return false;
  let depth = 0;
  for (const [token] of sql.matchAll(/'(?:[^']|'')*'|"[^"]*"|[()]|\b(?:select|insert|update|delete)\b/gi)) {
    if (token === "(") depth += 1;
    else if (token === ")") depth -= 1;
    else if (depth === 0 && /^[a-z]/i.test(token)) return /^select$/i.test(token);
  }
  return false;
}
