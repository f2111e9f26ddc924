import Database from "better-sqlite3";
import { LoyaltyService, type Organization } from "loyalty-kit";
import { migrateSqlite } from "loyalty-kit/sqlite";
import { describe, expect, it } from "vitest";
import { SCHEMA_VERSION } from "../../adapters/kysely/migrations/migrations.js";
import { sqlName } from "../../adapters/kysely/sql/columns.js";
import { run } from "../../src/concurrency/step.js";
import { hourNames } from "../../src/storage/hour-counts.js";
import { someScene } from "../events/scene.js";
import { visibleState } from "../faults/visible-state.js";
import { withEveryUserInIndexes } from "../kysely/later-than-38.js";
import { open, otherProgram } from "./opened.js";
import { addUsers } from "./records.js";
import { temporaryFile } from "./temporary-file.js";
import { asVersion1 } from "./version-1.js";

/** Takes back what the versions from 23 on added. */
const withoutMessages = `
    ${withEveryUserInIndexes}
    drop table loyalty_people;
    drop index loyalty_wallet_passes_of_template;
    create index loyalty_wallet_passes_stamps
      on loyalty_wallet_passes (organization_id, template_id, current_stamps, user_ordinal);
    alter table loyalty_events drop column open_day;
    alter table loyalty_organizations drop column several_passes;
    alter table loyalty_webhook_deliveries drop column event_position;
    create index loyalty_events_id on loyalty_events (organization_id, id);
    drop table loyalty_segment_days;
    drop table loyalty_settled_users;
    drop table loyalty_segment_marks;
    drop table loyalty_segment_slices;
    drop table loyalty_saved_segments;
    alter table loyalty_organizations drop column emitting_segments;
    drop table loyalty_automation_jobs;
    drop table loyalty_automation_queues;
    drop table loyalty_automation_uses;
    drop table loyalty_automation_runs;
    drop table loyalty_automation_versions;
    drop table loyalty_automations;
    alter table loyalty_wallet_passes drop column visits;
    alter table loyalty_organizations drop column untold_changes;
    drop index loyalty_wallet_cards_message;
    alter table loyalty_wallet_cards drop column message_id;
    alter table loyalty_wallet_cards drop column message_delivery_id;
    alter table loyalty_wallet_cards drop column message_until;
    alter table loyalty_wallet_cards drop column message_revision;
    alter table loyalty_wallet_cards drop column is_message_announced;
    alter table loyalty_wallet_cards drop column notice_times;
    alter table loyalty_day_counts drop column emails_accepted;
    alter table loyalty_day_counts drop column emails_failed;
    alter table loyalty_day_counts drop column wallet_messages;
    alter table loyalty_day_counts drop column unsubscribed;
    ${hourNames.map((name) => `alter table loyalty_day_counts drop column ${sqlName(name)};`).join(" ")}
    drop table loyalty_message_jobs;
    drop table loyalty_message_queues;
    drop table loyalty_message_audiences;
    drop table loyalty_messages;
    drop table loyalty_settings;
    alter table loyalty_organizations drop column time_zone;
    drop table loyalty_mail_jobs;
    drop table loyalty_mail_queues;
    drop table loyalty_message_deliveries;
    drop table loyalty_message_settings;
    drop table loyalty_subscriptions;`;

describe("a file of version 1", () => {
  it("shows the same after its migration, of every organization", async () => {
    const now = await filled();
    const migrated = await open(await asVersion1(now.file));
    const loyalty = new LoyaltyService({ storage: migrated });
    for (const id of ["acme", "beta"]) {
      expect(await visibleState(loyalty.organization(id))).toEqual(
        await visibleState(now.loyalty.organization(id)),
      );
    }
  });

  it("goes on with its numbers, keys and references", async () => {
    const { file } = await filled();
    const storage = await open(await asVersion1(file));
    const acme = new LoyaltyService({ storage }).organization("acme");
    await expect(acme.users.create({ email: "ADA@example.com" })).rejects.toMatchObject({
      code: "user_already_exists",
    });
    const [ada, bob] = (await acme.contacts.list({ sort: "createdAt,asc" })).content;
    const eve = await acme.users.create({ email: "eve@example.com", name: "Eve" });
    await acme.tags.assign(eve.id, "idle");
    await acme.users.delete(ada?.id ?? "");
    await acme.users.update(bob?.id ?? "", { name: "Robert" });
    expect((await acme.contacts.list({ search: "ada" })).content).toEqual([]);
    expect((await acme.contacts.list({ search: "robert" })).totalElements).toBe(1);
    expect((await acme.contacts.list({ sort: "name,asc" })).content.map(({ name }) => name)).toEqual([
      "Eve",
      "Robert",
    ]);
    expect(await acme.tags.verifyIndex()).toEqual({ checked: 4, wrong: [] });
    expect((await acme.events.list()).content.map(({ type }) => type)).toEqual([
      "user.created",
      "user_tag.assigned",
      "pass.revoked",
      "pass.revoked",
      "pass.revoked",
      "user.deleted",
      "user.updated",
    ]);
  });

  it("is told to have been of version 1", async () => {
    const { file } = await filled();
    expect(await migrateSqlite(await asVersion1(file))).toEqual({ from: 1, to: SCHEMA_VERSION });
  });
});

describe("a file of version 20", () => {
  it("keeps what it knew of sessions that were ended, and takes no other answer for one", async () => {
    const file = temporaryFile();
    const before = new LoyaltyService({ storage: await open(file) });
    const acme = before.organization("acme");
    await before.endedSessions.end("acme", "session-1");
    const keyed = { email: "ada@example.com", idempotencyKey: "key" };
    const { id } = await acme.users.create(keyed);
    await acme.users.erase(id);
    await before.close();
    const other = otherProgram(file);
    other.exec(`
      insert into loyalty_answers (organization_id, key_hash, fingerprint, sealed, created_at)
        select organization_id, name, 'print', '', until - 86400000 from loyalty_marks;
      drop table loyalty_marks;
      alter table loyalty_templates drop column reward;
      ${withoutMessages}
      delete from loyalty_migrations where version > 20;`);
    const after = new LoyaltyService({ storage: await open(file) });
    expect(await after.endedSessions.has("acme", "session-1")).toBe(true);
    expect(other.prepare("select count(*) as count from loyalty_marks").get()).toEqual({ count: 1 });
    await expect(after.organization("acme").users.create(keyed)).rejects.toMatchObject({
      code: "resource_not_found",
    });
  });
});

describe("a file of a version before the latest indexes", () => {
  it("tells the planner of all indexes", async () => {
    const file = temporaryFile();
    await (await open(file)).close();
    const hints = () =>
      otherProgram(file).prepare("select tbl, idx, stat from sqlite_stat1 order by idx").all();
    const all = hints();
    const before = otherProgram(toVersion5(file));
    before.exec("delete from loyalty_migrations where version > 4");
    before.exec("delete from sqlite_stat1 where tbl in ('loyalty_events', 'loyalty_webhook_deliveries')");
    expect(await migrateSqlite(file)).toEqual({ from: 4, to: SCHEMA_VERSION });
    expect(hints()).toEqual(all);
  });
});

describe("a file of version 5", () => {
  it("sends what was pending, of events that the outbox has and of others", async () => {
    const file = temporaryFile();
    const loyalty = new LoyaltyService({ storage: await open(file) });
    const acme = loyalty.organization("acme");
    const { id } = (await acme.webhooks.create({ url: "https://receiver.example" })).webhookEndpoint;
    await acme.users.create({ email: "ada@example.com" });
    const place = { organizationId: "acme", endpointId: id };
    await loyalty.webhookQueue.claimNext(place, 0);
    await acme.webhooks.test(id);
    await loyalty.close();
    toVersion5(file);
    const storage = await open(file);
    const migrated = new LoyaltyService({ storage });
    expect(await run(storage.pendingDeliveries("acme"))).toMatchObject(new Map([[id, { count: 2 }]]));
    const { jobs } = await migrated.webhookQueue.claimNext(place, 10);
    expect(jobs.map(({ body }) => JSON.parse(body))).toMatchObject([
      { type: "user.created", data: { email: "ada@example.com" } },
      { type: "webhook.test", data: { id } },
    ]);
  });
});

/** Takes back what the versions after 10 changed. */
const toVersion10 = `
    ${withoutMessages}
    alter table loyalty_templates drop column reward;
    drop table loyalty_marks;
    drop table loyalty_servers;
    alter table loyalty_wallet_cards drop column told_until;
    alter table loyalty_wallet_cards drop column installation_due_at;
    alter table loyalty_wallet_cards drop column let_go_at;
    drop index loyalty_grants_subject;
    drop index loyalty_webhook_endpoints_position;
    drop index loyalty_webhook_endpoints_left;
    alter table loyalty_api_tokens drop column allowed_addresses;
    alter table loyalty_api_tokens drop column made_by;
    alter table loyalty_apps drop column made_by;
    drop table loyalty_audit;
    drop index loyalty_events_subject;
    drop index loyalty_stamp_entries_subject;
    alter table loyalty_events drop column actor;
    alter table loyalty_events drop column subject;
    alter table loyalty_stamp_entries drop column actor;
    alter table loyalty_stamp_entries drop column subject;
    drop index loyalty_grants_token;
    alter table loyalty_grants drop column token_id;
    alter table loyalty_grants drop column expires_at;
    alter table loyalty_apps drop column previous_secret_hash;
    alter table loyalty_apps drop column previous_secret_expires_at;
    drop index loyalty_answers_end_bytes;
    alter table loyalty_answers drop column end_bytes;
    drop index loyalty_answers_user;
    alter table loyalty_answers drop column user_id;
    drop index loyalty_stamp_entries_reverses;
    alter table loyalty_stamp_entries drop column reverses;
    drop index loyalty_wallet_passes_public;
    drop index loyalty_templates_public;`;

/** Takes back what the versions after 5 changed. @returns the file. */
function toVersion5(file: string): string {
  const db = new Database(file);
  db.exec(`${toVersion10}
    alter table loyalty_webhook_deliveries add column body text not null default 'of the outbox';
    update loyalty_webhook_deliveries set body = own_body where own_body is not null;
    drop index loyalty_webhook_deliveries_event;
    drop index loyalty_webhook_deliveries_status;
    alter table loyalty_webhook_endpoints drop column slow_since;
    alter table loyalty_webhook_deliveries drop column own_body;
    alter table loyalty_webhook_endpoints drop column pending;
    alter table loyalty_webhook_endpoints drop column last_position;
    drop table loyalty_wallet_deliveries;
    drop table loyalty_wallet_devices;
    drop table loyalty_wallet_cards;
    drop table loyalty_wallet_queues;
    drop table loyalty_pictures;
    alter table loyalty_templates drop column design;
    drop index loyalty_organizations_newest_event_minute;
    alter table loyalty_organizations drop column newest_event_minute;
    drop table loyalty_day_counts;
    alter table loyalty_organizations drop column open_day;
    delete from loyalty_migrations where version > 5;`);
  db.close();
  return file;
}

describe("a file whose search index had every user", () => {
  it("finds the same after its migration, and follows what happens to users", async () => {
    const file = temporaryFile();
    const storage = await open(file);
    const acme = new LoyaltyService({ storage }).organization("acme");
    await addUsers(storage, 600);
    const gone = await acme.users.create({ email: "gone@example.com" });
    await acme.users.delete(gone.id);
    const searches = ["customer", "-3", "@", "example", `-${process.pid}-`, "gone"];
    const found = async (organization: Organization) =>
      Promise.all(searches.map(async (search) => organization.contacts.list({ search })));
    const before = await found(acme);
    await storage.close();
    const former = otherProgram(file);
    former.exec(`${toVersion10}
      delete from loyalty_migrations where version > 8;
      drop table loyalty_day_counts;
      alter table loyalty_organizations drop column open_day;`);
    for (const table of ["user_words", "search_texts", "search_organizations"]) {
      former.exec(`drop table loyalty_${table}`);
    }
    former.exec("create virtual table loyalty_user_trigrams using fts5 (tokens, content='', detail=none)");
    former.exec("insert into loyalty_user_trigrams (rowid, tokens) values (1, 'former')");
    former.exec(
      `create table loyalty_search_organizations
        (number integer primary key, organization_id text not null unique) strict`,
    );
    former.exec("insert into loyalty_search_organizations values (7, 'globex'), (8, 'acme')");
    const migrated = new LoyaltyService({ storage: await open(file) }).organization("acme");
    expect(await found(migrated)).toEqual(before);
    const [user] = (await migrated.contacts.list({ search: "customer", sort: "createdAt,asc" })).content;
    await migrated.users.update(user?.id ?? "", { name: "Renamed" });
    expect((await migrated.contacts.list({ search: "renamed" })).totalElements).toBe(1);
    await migrated.users.delete(user?.id ?? "");
    expect((await migrated.contacts.list({ search: "renamed" })).totalElements).toBe(0);
    expect((await migrated.contacts.list({ search: "customer" })).totalElements).toBe(599);
    expect(former.prepare("select name from sqlite_schema where name like '%trigrams%'").all()).toEqual([]);
  });
});

/** A file of this release with two organizations whose users came in turn. */
async function filled() {
  const file = temporaryFile();
  const loyalty = new LoyaltyService({ storage: await open(file) });
  await someScene(loyalty);
  const [acme, beta] = [loyalty.organization("acme"), loyalty.organization("beta")];
  const gone = await acme.users.create({ email: "gone@example.com" });
  await beta.users.create({ email: "ada@example.com", name: "Ada of beta", phone: "+49 1" });
  await acme.users.delete(gone.id);
  await beta.users.create({ email: "bob@example.com" });
  return { file, loyalty };
}
