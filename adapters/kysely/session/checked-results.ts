import { isPromise } from "../../../src/concurrency/step.js";
import type { OpenTransaction, StatementResult } from "../../../src/storage/storage-adapter.js";

/** One for each, so that what one call has found out about it the others need not ask. */
const made = new WeakMap<OpenTransaction, OpenTransaction>();

/**
 * The transaction, whose results are looked at: a count that is missing would be taken for a conflict with another row.
 * Its calls throw a {TypeError} for what is no result, as a `query` of a host's own may give.
 */
export function checkingResults(host: OpenTransaction): OpenTransaction {
  const checking = made.get(host) ?? checkingAnew(host);
  made.set(host, checking);
  return checking;
}

function checkingAnew(host: OpenTransaction): OpenTransaction {
  return {
    isOpen: () => host.isOpen?.() ?? null,
    query(sql, parameters) {
      const result = host.query(sql, parameters);
      return isPromise(result) ? result.then(checked) : checked(result);
    },
  };
}

function checked(result: unknown): StatementResult {
  if (isResult(result)) return result;
  const isOfPg = typeof result === "object" && result !== null && "rowCount" in result;
  const hint = isOfPg ? ": for a client of pg there is fromPg(client)" : "";
  throw new TypeError(
    `query(sql, parameters) of a joined transaction gives rows, an array of objects, and count, a number${hint}`,
  );
}

function isResult(result: unknown): result is StatementResult {
  if (typeof result !== "object" || result === null || !("rows" in result && "count" in result)) return false;
  const { rows, count } = result;
  const isOfObjects = Array.isArray(rows) && (rows.length === 0 || isRow(rows[0]));
  return isOfObjects && Number.isSafeInteger(count) && Number(count) >= 0;
}

function isRow(row: unknown): boolean {
  return typeof row === "object" && row !== null && !Array.isArray(row);
}
