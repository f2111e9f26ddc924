import { migratePostgres, NotMigratedError, postgresStorage } from "loyalty-kit/postgres";
import pg from "pg";
import { expect, it, onTestFinished } from "vitest";
import { SCHEMA_VERSION } from "../../adapters/kysely/migrations/migrations.js";
import { addTag, slugsIn } from "../sqlite/records.js";
import { newPlace } from "./place.js";

it("a database that is not to be migrated is left as it is, and refused where its tables are not of this release", async () => {
  const { url, remove } = await newPlace();
  const pool = new pg.Pool({ connectionString: url });
  onTestFinished(async () => {
    await pool.end();
    await remove();
  });
  const tables = async () =>
    (await pool.query("select relname from pg_class where relnamespace = current_schema()::regnamespace"))
      .rows;
  const opening = () => postgresStorage(url, { migrate: "never" }).catch((error: unknown) => error);
  expect(await opening()).toBeInstanceOf(NotMigratedError);
  expect(await tables()).toEqual([]);
  await migratePostgres(url);
  await pool.query("delete from loyalty_migrations where version = $1", [SCHEMA_VERSION]);
  expect(await opening()).toMatchObject({ version: SCHEMA_VERSION - 1, needed: SCHEMA_VERSION });
  await pool.query("insert into loyalty_migrations values ($1, 0)", [SCHEMA_VERSION]);
  const told: unknown[] = [];
  for (const migrate of ["never", "auto"] as const) {
    const storage = await postgresStorage(url, { migrate, onMigration: (migration) => told.push(migration) });
    await storage.transaction((tx) => addTag(tx, migrate));
    await storage.close();
  }
  expect(told).toEqual([]);
  const storage = await postgresStorage(pool);
  expect(await slugsIn(storage)).toEqual(expect.arrayContaining(["never", "auto"]));
  await storage.close();
});
