import { migratePostgres } from "loyalty-kit/postgres";
import type { OpenTransaction } from "loyalty-kit/storage";
import pg from "pg";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Admission } from "../../adapters/storage/kysely/session/admission.js";
import { HostExecutor } from "../../adapters/storage/kysely/session/host-executor.js";
import { HostedDatabase } from "../../adapters/storage/kysely/session/hosted-database.js";
import { findIntegerResults } from "../../adapters/storage/kysely/sql/integer-results.js";
import { sqlStorage } from "../../adapters/storage/kysely/storage.js";
import { hostedPostgresDialect } from "../../adapters/storage/postgres/database.js";
import { postgresDialect } from "../../adapters/storage/postgres/dialect.js";
import { storeScene } from "../../adapters/testing/storage-suite/kit/scene.js";
import { runSceneQuestions } from "../../adapters/testing/storage-suite/law/reads.js";
import { World } from "../../adapters/testing/storage-suite/law/world.js";
import { write, writeNames } from "../../adapters/testing/storage-suite/law/writes.js";
import { runStep } from "../../src/base/concurrency/step.js";
import { StorageConflict } from "../../src/storage/storage-adapter.js";
import { createPlace } from "../postgres/place.js";

/**
 * Types that every driver returns alike, as numbers, strings and bytes. A bigint is a number or a string,
 * depending on the driver.
 */
const { INT4, FLOAT8, TEXT, BYTEA, INT8 } = pg.types.builtins;
const alike: ReadonlySet<number> = new Set([INT4, FLOAT8, TEXT, BYTEA]);

describe("a statement in a host's transaction on Postgres", () => {
  it("treats exactly the results that are bigints on the server as integers", async () => {
    const client = await connectClient();
    const all = vi.spyOn(HostExecutor.prototype, "all");
    onTestFinished(() => all.mockRestore());
    const results = new Map<string, readonly pg.FieldDef[]>();
    const host: OpenTransaction = {
      async query(sql, parameters) {
        const { rows, rowCount, fields } = await client.query({ text: sql, values: [...parameters] });
        results.set(sql, fields);
        return { rows, count: rowCount ?? 0 };
      },
    };
    const joinedDatabase = new HostedDatabase(
      host,
      { ...hostedPostgresDialect, fence: null },
      new Admission(),
    );
    const rejectManaged = () => Promise.reject(new Error("there is nothing to lend"));
    const database = Object.assign(joinedDatabase, {
      joining: () => joinedDatabase,
      runManaged: rejectManaged,
      sync: null,
    });
    const storage = sqlStorage(postgresDialect(), database);
    await client.query("begin");
    await storeScene(storage, "acme");
    await runStep(runSceneQuestions(storage.reader("acme")));
    const world = new World(0);
    for (const name of [...writeNames, ...writeNames]) {
      await client.query("savepoint before");
      const writing = storage.transaction("acme", (tx) => write(name, tx, world, "acme"));
      await writing.catch((error: unknown) => expect(error).toBeInstanceOf(StorageConflict));
      await client.query("rollback to savepoint before");
    }
    const queries = new Map(all.mock.calls.map(([{ sql, query }]) => [sql, query]));
    expect(queries.size).toBeGreaterThan(100);
    const wrong = [...queries].flatMap(([sql, query]) => {
      const wrappedQuery = findIntegerResults(query);
      const isRight = ({ name, dataTypeID }: pg.FieldDef) =>
        wrappedQuery.has(name) ? dataTypeID === INT8 : alike.has(dataTypeID);
      return (results.get(sql) ?? []).filter((field) => !isRight(field)).map(({ name }) => `${name}: ${sql}`);
    });
    expect(wrong).toEqual([]);
  });
});

async function connectClient(): Promise<pg.Client> {
  const place = await createPlace();
  await migratePostgres(place.url);
  const client = new pg.Client({ connectionString: place.url });
  await client.connect();
  onTestFinished(async () => {
    await client.end();
    await place.remove();
  });
  return client;
}
