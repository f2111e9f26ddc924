import { LoyaltyService } from "loyalty-kit";
import { describe, expect, it, onTestFinished } from "vitest";
import { sqlName } from "../../adapters/kysely/sql/columns.js";
import { hourNames } from "../../src/storage/hour-counts.js";
import { newSqlDatabases } from "../kit/sql-database.js";
import { withoutVersion41 } from "./later-than-38.js";

/** Has the migrations from version 20 on made again. */
const REWIND = [
  "drop index loyalty_wallet_passes_of_template",
  "create index loyalty_wallet_passes_stamps on loyalty_wallet_passes (organization_id, template_id, current_stamps, user_ordinal)",
  "alter table loyalty_events drop column open_day",
  "alter table loyalty_organizations drop column several_passes",
  "alter table loyalty_webhook_deliveries drop column event_position",
  "create index loyalty_events_id on loyalty_events (organization_id, id)",
  "drop table loyalty_segment_days",
  "drop table loyalty_settled_users",
  "drop table loyalty_segment_marks",
  "drop table loyalty_segment_slices",
  "drop table loyalty_saved_segments",
  "alter table loyalty_organizations drop column emitting_segments",
  ...["jobs", "queues", "uses", "runs", "versions"].map((part) => `drop table loyalty_automation_${part}`),
  "drop table loyalty_automations",
  "alter table loyalty_wallet_passes drop column visits",
  "alter table loyalty_organizations drop column untold_changes",
  "drop index loyalty_wallet_cards_message",
  ...[
    "message_id",
    "message_delivery_id",
    "message_until",
    "message_revision",
    "is_message_announced",
    "notice_times",
  ].map((column) => `alter table loyalty_wallet_cards drop column ${column}`),
  ...["emails_accepted", "emails_failed", "wallet_messages", "unsubscribed", ...hourNames.map(sqlName)].map(
    (column) => `alter table loyalty_day_counts drop column ${column}`,
  ),
  "drop table loyalty_message_jobs",
  "drop table loyalty_message_queues",
  "drop table loyalty_message_audiences",
  "drop table loyalty_messages",
  "drop table loyalty_settings",
  "alter table loyalty_organizations drop column time_zone",
  "drop table loyalty_mail_jobs",
  "drop table loyalty_mail_queues",
  "drop table loyalty_message_deliveries",
  "drop table loyalty_message_settings",
  "drop table loyalty_subscriptions",
  "alter table loyalty_templates drop column reward",
  "drop table loyalty_people",
  "drop table loyalty_marks",
  "drop index loyalty_grants_subject",
  "delete from loyalty_migrations where version >= 20",
].join("; ");

describe.each(Object.entries(newSqlDatabases))(
  "who joined with an email that somebody had, on %s,",
  (name, newDatabase) => {
    it("has the id of who has it, after the migration, and no email of anybody's", async () => {
      const { open, execute } = await newDatabase();
      const before = new LoyaltyService({ storage: await open() });
      const acme = before.organization("acme");
      const owner = await acme.users.create({ email: "Ada@example.com" });
      const joined = (typedEmail: string | number) => ({
        a: 1,
        join: { consent: "yes", typedEmail },
        z: '"typedEmail":',
      });
      const metadata = [
        joined("ADA@example.com"),
        joined("gone@example.com"),
        joined(7),
        { typedEmail: "own" },
      ];
      const users = [];
      for (const [at, each] of metadata.entries()) {
        const { id } = await acme.users.create({ email: `joined-${at}@join.invalid`, metadata: each });
        users.push(id);
      }
      await before
        .organization("globex")
        .users.create({ email: "gil@example.com", metadata: joined("ada@example.com") });
      await before.close();
      await execute(`${withoutVersion41(name)} ${REWIND}`);

      const loyalty = new LoyaltyService({ storage: await open() });
      onTestFinished(() => loyalty.close());
      const after = loyalty.organization("acme");
      const expected = [
        { a: 1, join: { consent: "yes", typedEmailOf: owner.id }, z: '"typedEmail":' },
        { a: 1, join: { consent: "yes" }, z: '"typedEmail":' },
        joined(7),
        { typedEmail: "own" },
      ];
      const found = [];
      for (const id of users) found.push((await after.users.get(id)).metadata);
      expect(JSON.stringify(found)).toBe(JSON.stringify(expected));
      const { content } = await after.events.list({ types: ["user.created"] });
      const told = content.map(({ data }) => ("metadata" in data ? data.metadata : null));
      expect(JSON.stringify(told)).toBe(JSON.stringify([{}, ...expected]));
      const elsewhere = await loyalty.organization("globex").contacts.list();
      const gil = await loyalty.organization("globex").users.get(elsewhere.content[0]?.id ?? "");
      expect(gil.metadata.join).toEqual({ consent: "yes" });
    });
  },
);
