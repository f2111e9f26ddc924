import type { OpenTransaction } from "../../../src/storage/storage-adapter.js";
import { memoizeByHost } from "./bridge.js";

/** Knex's separator between the statement and the driver's message in an error. */
const MESSAGE_SEPARATOR = " - ";

/** The subset of a Knex transaction that {@link fromKnex} uses. */
export interface KnexTransaction {
  /** Whether this is a transaction rather than the pool. */
  readonly isTransaction?: boolean | undefined;
  /** Returns whether the transaction has been committed or rolled back. */
  isCompleted?(): boolean;
  /** Runs a statement with `?` placeholders and resolves to the driver's own result. */
  raw(sql: string, bindings: never): PromiseLike<unknown>;
}

/**
 * Adapts a Knex transaction on `better-sqlite3` or `pg` so that an organization can join it.
 * @throws {TypeError} if the argument is the `knex` instance itself instead of a transaction.
 * @example
 * import knex from "knex";
 * import { fromKnex } from "loyalty-kit/joining";
 *
 * await knex({ client: "pg", connection: "postgres://localhost/cafe" }).transaction(async (trx) => {
 *   await cafe.joining(fromKnex(trx)).users.create({ email: "anna@example.com" });
 * });
 */
export const fromKnex: (trx: KnexTransaction) => OpenTransaction = memoizeByHost(
  (trx: KnexTransaction) => ({
    isOpen: () => (trx.isCompleted?.() === true ? false : null),
    async query(sql, parameters) {
      const { text, values } = toQuestionMarks(sql, parameters);
      try {
        // Knex has its own type for bindings.
        return parseResult(await trx.raw(text, values as never));
      } catch (error) {
        throw unwrapDriverError(error);
      }
    },
  }),
  "the trx from knex.transaction",
  (trx) => typeof trx.raw === "function" && trx.isTransaction === true,
);

/** Replaces numbered placeholders with question marks, which Knex translates for each database. */
function toQuestionMarks(sql: string, parameters: readonly unknown[]) {
  const values: unknown[] = [];
  const text = sql.replace(/\$([0-9]+)/g, (_, number: string) => {
    values.push(parameters[Number(number) - 1]);
    return "?";
  });
  return values.length === 0 ? { text: sql, values: [...parameters] } : { text, values };
}

/**
 * Removes the statement that Knex puts before the driver's message, because only that message shows that the connection is lost.
 */
function unwrapDriverError(error: unknown): unknown {
  if (!(error instanceof Error) || "code" in error) return error;
  const at = error.message.lastIndexOf(MESSAGE_SEPARATOR);
  return at === -1 ? error : new Error(error.message.slice(at + MESSAGE_SEPARATOR.length), { cause: error });
}

/** Converts Knex's response: `pg` returns a result, `better-sqlite3` returns either rows or the outcome of a change. */
function parseResult(result: unknown): { rows: readonly unknown[]; count: number } {
  if (Array.isArray(result)) return { rows: result, count: result.length };
  if (typeof result === "object" && result !== null) {
    if ("rows" in result && Array.isArray(result.rows)) {
      const count = "rowCount" in result ? Number(result.rowCount) : result.rows.length;
      return { rows: result.rows, count };
    }
    if ("changes" in result) return { rows: [], count: Number(result.changes) };
  }
  throw new TypeError("expected a Knex transaction on better-sqlite3 or pg");
}
