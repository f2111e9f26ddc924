import type { OpenTransaction } from "../../../src/storage/storage-adapter.js";
import { memoizeByHost } from "./bridge.js";

/** The subset of a `pg` client that {@link fromPg} uses. */
export interface PgClient {
  /** Runs a statement with numbered placeholders (`$1`, `$2`, …) and resolves to its result. */
  query(statement: { readonly text: string; readonly values: unknown[] }): Promise<PgResult>;
}

export interface PgResult {
  readonly rows: readonly unknown[];
  readonly rowCount: number | null;
  readonly command?: string;
}

/**
 * Adapts the transaction that is open on a `pg` client so that an organization can join it.
 * @throws {TypeError} if the argument is a pool, because a pool might run each statement on a different client.
 * @example
 * import { fromPg } from "loyalty-kit/joining";
 * import pg from "pg";
 *
 * const client = await new pg.Pool({ connectionString: "postgres://localhost/cafe" }).connect();
 * await client.query("begin");
 * await cafe.joining(fromPg(client)).users.create({ email: "anna@example.com" });
 * await client.query("commit");
 */
export const fromPg: (client: PgClient) => OpenTransaction = memoizeByHost(
  (client: PgClient) => ({
    // The server rejects a savepoint outside a transaction.
    isOpen: () => null,
    async query(sql, parameters) {
      const { rows, rowCount } = await client.query({ text: sql, values: [...parameters] });
      return { rows, count: rowCount ?? 0 };
    },
  }),
  "a pg client, not the pool",
  (client) => typeof client.query === "function" && !("totalCount" in client),
);
