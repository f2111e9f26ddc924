import Database from "better-sqlite3";
import { LoyaltyService, type StorageAdapter } from "loyalty-kit";
import { checkStorage } from "loyalty-kit/checking";
import { postgresStorage } from "loyalty-kit/postgres";
import { sqliteStorage } from "loyalty-kit/sqlite";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { notFound, refusal } from "../kit/refusal.js";
import { newPlace } from "../postgres/place.js";
import { temporaryFile } from "../sqlite/temporary-file.js";
import { resultAt } from "./hooks.js";

interface Place {
  open(): Promise<StorageAdapter>;
  execute(statements: string): Promise<void>;
}

/** Has the migration made again. */
const REWIND = [
  "alter table loyalty_webhook_deliveries drop column event_position",
  "create index loyalty_events_id on loyalty_events (organization_id, id)",
  "delete from loyalty_migrations where version >= 30",
].join("; ");

const places: Readonly<Record<string, () => Promise<Place>>> = {
  sqlite: async () => {
    const file = temporaryFile();
    return {
      open: () => sqliteStorage(file),
      async execute(statements) {
        const db = new Database(file);
        db.exec(statements);
        db.close();
      },
    };
  },
  postgres: async () => {
    const place = await newPlace();
    const pool = new pg.Pool({ connectionString: place.url });
    onTestFinished(async () => {
      await pool.end();
      await place.remove();
    });
    return {
      open: () => postgresStorage(place.url),
      execute: async (statements) => void (await pool.query(statements)),
    };
  },
};

describe.each(Object.entries(places))(
  "deliveries of the version before positions, on %s,",
  (_, newDatabase) => {
    it("are sent and replayed after the migration, but of events that are gone", async () => {
      const { open, execute } = await newDatabase();
      const before = new LoyaltyService({ storage: await open() });
      const acme = before.organization("acme");
      const { id } = (await acme.webhooks.create({ url: "https://example.com" })).webhookEndpoint;
      const place = { organizationId: "acme", endpointId: id };
      for (const name of ["a", "b", "c", "d"]) await acme.tags.create({ name });
      await before.webhookQueue.take(place, 0);
      const { jobs: sent } = await before.webhookQueue.take(place, 2);
      await before.webhookQueue.settle(
        place,
        sent.map((job) => ({ job, result: resultAt(Date.now()) })),
      );
      await before.close();
      await execute(`delete from loyalty_events where position = 1; ${REWIND}`);

      const storage = await open();
      const after = new LoyaltyService({ storage });
      onTestFinished(() => after.close());
      const { webhooks } = after.organization("acme");
      expect(await checkStorage(storage)).toEqual([]);
      const [gone, kept] = sent;
      expect(await refusal(webhooks.replay(id, { deliveryId: gone?.deliveryId ?? "" }))).toEqual(notFound);
      await webhooks.replay(id, { deliveryId: kept?.deliveryId ?? "" });
      const { jobs } = await after.webhookQueue.take(place, 10);
      expect(jobs.map(({ body }) => JSON.parse(body).data.name)).toEqual(["c", "d", "b"]);
      expect(jobs.at(-1)?.body).toBe(kept?.body);
    });
  },
);
