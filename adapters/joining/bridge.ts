import type { OpenTransaction } from "../../src/storage/storage-adapter.js";

/**
 * Makes one bridge for each transaction, by which calls on the same one find each other.
 * @param needed what it is a bridge from, in words.
 * @throws {TypeError} from what it gives, for what is none.
 */
export function oneForEach<Host extends object, Bridge extends OpenTransaction>(
  make: (host: Host) => Bridge,
  needed = "an open transaction",
  isOne: (host: Host) => boolean = () => true,
): (host: Host) => Bridge {
  const made = new WeakMap<Host, Bridge>();
  return (host) => {
    if (!isObject(host) || "then" in host || !isOne(host)) throw new TypeError(`${needed} is needed`);
    const bridge = made.get(host) ?? make(host);
    made.set(host, bridge);
    return bridge;
  };
}

/** Code without types may give anything. */
export function isObject(host: unknown): host is object {
  return typeof host === "function" || (typeof host === "object" && host !== null);
}

/** What a driver would tell of a lost connection, of which a library told something of its own. */
export function connectionLost(cause: unknown): Error {
  return Object.assign(new Error("the connection is lost", { cause }), { code: "08006", severity: "FATAL" });
}

/** Whether a statement gives rows, for drivers that have to be told. */
export function givesRows(sql: string): boolean {
  return /^\s*(select|values|pragma|explain)\b|\breturning\b/i.test(sql) || isWithOfSelect(sql);
}

/** `with` may begin a statement of any kind: the first verb that is in no brackets tells. */
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
