import type { OpenTransaction } from "../../src/storage/storage-adapter.js";
import { memoizeByHost } from "./bridge.js";

/** The part of a client of `pg` that is used. */
export interface PgClient {
  query(statement: { readonly text: string; readonly values: unknown[] }): Promise<PgResult>;
}

export interface PgResult {
  readonly rows: readonly unknown[];
  readonly rowCount: number | null;
  readonly command?: string;
}

/**
 * The transaction that is open on a client of `pg`.
 * @throws {TypeError} for a pool, whose statements run on any of its clients.
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
    // The server refuses a savepoint where none is.
    isOpen: () => null,
    async query(sql, parameters) {
      const { rows, rowCount } = await client.query({ text: sql, values: [...parameters] });
      return { rows, count: rowCount ?? 0 };
    },
  }),
  "a client of pg, not the pool,",
  (client) => typeof client.query === "function" && !("totalCount" in client),
);
