import {
  migratePostgres,
  NotMigratedError,
  postgresMigrationScript,
  postgresStorage,
} from "loyalty-kit/postgres";
import pg from "pg";
import { expect, it, onTestFinished } from "vitest";
import { getSchemaVersion } from "../../adapters/storage/kysely/migrations/migrations.js";
import { postgresDialect } from "../../adapters/storage/postgres/dialect.js";
import { buildMigrationScript, migrateTables } from "../../adapters/storage/postgres/migration.js";
import { createNextRelease } from "../kysely/next-release.js";
import { addTag, listSlugs } from "../sqlite/records.js";
import { createDatabase } from "./database-on.js";
import { createPlace, executeOnce } from "./place.js";
import { readStructure } from "./structure.js";

const VERSION = getSchemaVersion(postgresDialect());

it("storage that may not migrate leaves the database unchanged, and refuses tables of another release", async () => {
  const { url, remove } = await createPlace();
  const pool = new pg.Pool({ connectionString: url });
  onTestFinished(async () => {
    await pool.end();
    await remove();
  });
  const listTables = async () =>
    (await pool.query("select relname from pg_class where relnamespace = current_schema()::regnamespace"))
      .rows;
  const openWithoutMigration = () =>
    postgresStorage(url, { migrate: "never" }).catch((error: unknown) => error);
  expect(await openWithoutMigration()).toBeInstanceOf(NotMigratedError);
  expect(await listTables()).toEqual([]);
  await migratePostgres(url);
  await pool.query("delete from loyalty_migrations where version = $1", [VERSION]);
  expect(await openWithoutMigration()).toMatchObject({ version: VERSION - 1, needed: VERSION });
  await pool.query("insert into loyalty_migrations values ($1, 0)", [VERSION]);
  const errors: unknown[] = [];
  for (const migrate of ["never", "auto"] as const) {
    const storage = await postgresStorage(url, {
      migrate,
      onMigration: (migration) => errors.push(migration),
    });
    await storage.transaction("acme", (tx) => addTag(tx, migrate));
    await storage.close();
  }
  expect(errors).toEqual([]);
  const storage = await postgresStorage(pool);
  expect(await listSlugs(storage)).toEqual(expect.arrayContaining(["never", "auto"]));
  await storage.close();
});

it("a printed migration creates the same tables when it is run by hand, and is refused for tables of a later release", async () => {
  const next = createNextRelease(postgresDialect());
  const places = [await createPlace(), await createPlace()];
  const [byHand, byOpening] = places.map(({ url }) => ({
    url,
    pool: new pg.Pool({ connectionString: url }),
  }));
  if (byHand === undefined || byOpening === undefined) throw new RangeError("two places are needed");
  onTestFinished(async () => {
    for (const { pool } of [byHand, byOpening]) await pool.end();
    for (const place of places) await place.remove();
  });
  for (const { url } of [byHand, byOpening]) await migratePostgres(url);
  const before = await readStructure(byHand.url);
  const script = await buildMigrationScript(next, createDatabase(byHand.pool));
  expect(await readStructure(byHand.url)).toEqual(before);
  expect(script).not.toContain('create table "loyalty_users"');

  await executeOnce(byHand.url, script);
  await migrateTables(next, createDatabase(byOpening.pool));
  const structure = await readStructure(byHand.url);
  expect(structure.length).toBeGreaterThan(before.length);
  expect(structure).toEqual(await readStructure(byOpening.url));
  expect(await buildMigrationScript(next, createDatabase(byHand.pool))).toMatch(/^-- .*nothing to do/);
  await expect(postgresMigrationScript(byHand.url)).rejects.toThrow(`version ${VERSION + 1}`);
});
