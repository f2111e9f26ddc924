import { sql } from "kysely";
import { testStorage } from "loyalty-kit/testing";
import { describe, expect } from "vitest";
import { sqlStorage } from "../../adapters/storage/kysely/storage.js";
import { postgresDialect } from "../../adapters/storage/postgres/dialect.js";
import { migrateTables } from "../../adapters/storage/postgres/migration.js";
import { createDatabase } from "../postgres/database-on.js";
import { createPlacePool } from "../postgres/place-pool.js";
import { createPartRunner } from "./suite-parts.js";

const PARTITIONS = 4;

const dialect = postgresDialect(sql`partition by hash (organization_id)`);

/** Places with the tables of this release, each partitioned by organization. */
const newPlace = createPlacePool(async (pool) => {
  await migrateTables(dialect, createDatabase(pool));
  const { rows } = await pool.query<{ name: string; isPartitioned: boolean }>(
    `select relname as name, relkind = 'p' as "isPartitioned" from pg_class
     where relkind in ('r', 'p') and relname not in ('loyalty_migrations', 'loyalty_servers') and relnamespace = current_schema::regnamespace`,
  );
  expect(rows.filter(({ isPartitioned }) => !isPartitioned)).toEqual([]);
  for (const { name } of rows) await pool.query(createPartitionsSql(name));
});

describe("on tables partitioned by organization", () => {
  testStorage(createPartRunner(2), async () => {
    const { pool, returnPlace: giveBack } = await newPlace();
    return sqlStorage(dialect, createDatabase(pool, giveBack));
  });
});

function createPartitionsSql(table: string): string {
  const createPartitionSql = (_: unknown, at: number) =>
    `create table ${table}_${at} partition of ${table} for values with (modulus ${PARTITIONS}, remainder ${at});`;
  return Array.from({ length: PARTITIONS }, createPartitionSql).join(" ");
}
