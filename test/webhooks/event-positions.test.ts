import { LoyaltyService } from "loyalty-kit";
import { checkStorage } from "loyalty-kit/checking";
import { describe, expect, it, onTestFinished } from "vitest";
import { sqlName } from "../../adapters/kysely/sql/columns.js";
import { hourNames } from "../../src/storage/hour-counts.js";
import { notFound, refusal } from "../kit/refusal.js";
import { newSqlDatabases } from "../kit/sql-database.js";
import { membersInChunks, withoutVersion41 } from "../kysely/later-than-38.js";
import { resultAt } from "./hooks.js";

/** Has the migration made again, and those after it. */
const REWIND = [
  membersInChunks,
  "drop table loyalty_people",
  ...hourNames.map((name) => `alter table loyalty_day_counts drop column ${sqlName(name)}`),
  ...["name", "logo", "language", "currency"].map(
    (column) => `alter table loyalty_settings drop column ${column}`,
  ),
  "drop index loyalty_wallet_passes_of_template",
  "create index loyalty_wallet_passes_stamps on loyalty_wallet_passes (organization_id, template_id, current_stamps, user_ordinal)",
  "alter table loyalty_organizations drop column several_passes",
  "alter table loyalty_events drop column open_day",
  "alter table loyalty_webhook_deliveries drop column event_position",
  "create index loyalty_events_id on loyalty_events (organization_id, id)",
  "delete from loyalty_migrations where version >= 30",
].join("; ");

describe.each(Object.entries(newSqlDatabases))(
  "deliveries of the version before positions, on %s,",
  (name, newDatabase) => {
    it("are sent and replayed after the migration, but of events that are gone", async () => {
      const { open, execute } = await newDatabase();
      const before = new LoyaltyService({ storage: await open() });
      const acme = before.organization("acme");
      const { id } = (await acme.webhooks.create({ url: "https://example.com" })).webhookEndpoint;
      const place = { organizationId: "acme", endpointId: id };
      for (const name of ["a", "b", "c", "d"]) await acme.tags.create({ name });
      await before.webhookQueue.claimNext(place, 0);
      const { jobs: sent } = await before.webhookQueue.claimNext(place, 2);
      await before.webhookQueue.recordResults(
        place,
        sent.map((job) => ({ job, result: resultAt(Date.now()) })),
      );
      await before.close();
      await execute(`delete from loyalty_events where position = 1; ${withoutVersion41(name)} ${REWIND}`);

      const storage = await open();
      const after = new LoyaltyService({ storage });
      onTestFinished(() => after.close());
      const { webhooks } = after.organization("acme");
      expect(await checkStorage(storage)).toEqual([]);
      const [gone, kept] = sent;
      expect(await refusal(webhooks.replay(id, { deliveryId: gone?.deliveryId ?? "" }))).toEqual(notFound);
      await webhooks.replay(id, { deliveryId: kept?.deliveryId ?? "" });
      const { jobs } = await after.webhookQueue.claimNext(place, 10);
      expect(jobs.map(({ body }) => JSON.parse(body).data.name)).toEqual(["c", "d", "b"]);
      expect(jobs.at(-1)?.body).toBe(kept?.body);
    });
  },
);
