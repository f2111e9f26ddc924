import { createHash } from "node:crypto";
import { LoyaltyService, type Organization, type StorageAdapter } from "loyalty-kit";
import { checkStorage } from "loyalty-kit/storage";
import { beforeAll, expect, it } from "vitest";
import { someSubscription } from "../../adapters/testing/storage-suite/kit/mail-records.js";
import {
  someOutcome,
  someTagRemoval,
  someWalletCard,
  someWalletDelivery,
  someWalletDevice,
} from "../../adapters/testing/storage-suite/kit/records.js";
import { Rows } from "../../adapters/testing/storage-suite/kit/rows.js";
import { Bitmap } from "../../src/storage/bitmap.js";
import { walletJobs } from "../../src/storage/wallets.js";
import { createPng } from "../cards/some-picture.js";
import type { Damageable, Database } from "./damageable.js";

/** Columns that can't be derived from other columns, or can't be computed again after a loss. */
const ownColumns: Readonly<Record<string, string>> = {
  // The counts of the current day and of past days come from past events. Changes without event aren't in the
  // events.
  organizations:
    "organization_id current_day_counts changes_without_event incomplete_position incomplete_until set_versions",
  day_counts:
    "organization_id day members cards stamps rewards_earned rewards_redeemed points_given points_spent points_expired installs_apple installs_google installs_other emails_accepted emails_failed wallet_messages unsubscribed " +
    Array.from({ length: 24 }, (_, hour) => `visits_at${hour}`).join(" "),
  users: "organization_id id ordinal email name phone external_id metadata created_at updated_at",
  // A slug comes from the first name of its tag.
  user_tags: "organization_id id ordinal slug name description color created_at updated_at",
  user_tag_assignments: "organization_id id created_at",
  tag_removals: "organization_id ordinal tag merge created_at actor subject",
  segment_sets: "organization_id set_id",
  segment_chunks: "organization_id chunk",
  saved_segments:
    "organization_id id slug name description color filter emits_events emits_since is_recounting revision created_at updated_at",
  segment_slices: "organization_id slice",
  segment_followers: "organization_id position watermark next_midnight",
  silent_changes: "organization_id id names",
  segment_days: "organization_id day members entered left",
  templates:
    "organization_id id key name type max_stamps reward design earning points program_version created_at updated_at",
  past_programs: "organization_id version earning points",
  wallet_passes: "organization_id id code is_preview_pass installation_status created_at updated_at",
  stamp_entries: "organization_id id type note source receipt is_imported created_at actor subject",
  point_cards: "organization_id updated_at",
  point_lots: "organization_id usable_from grace_until created_at",
  point_entries: "organization_id type usable_from expires_at note is_imported actor subject at created_at",
  purchases:
    "organization_id revision user_id references at currency lines paid_with_points note is_confirmed is_frozen created_at updated_at",
  purchase_effects: "organization_id daily_allowance cut because position",
  purchase_returns: "organization_id return_id at lines note created_at",
  api_tokens:
    "organization_id id name prefix hash scopes created_at last_used_at expires_at allowed_addresses created_by",
  // The daily counts in the newest event come from the past, like its organization's counts.
  events: "organization_id position id type created_at data actor subject",
  // `end_bytes` counts all bytes ever stored, and most of those rows have been removed.
  idempotency_records: "organization_id key_hash fingerprint sealed created_at user_id end_bytes",
  apps: "organization_id id name secret_hash previous_secret_hash previous_secret_expires_at redirect_uris scopes created_at updated_at created_by",
  grants: "organization_id id app_id subject scopes created_at token_id expires_at",
  grant_tokens: "organization_id id kind hash scopes details created_at expires_at used_at",
  webhook_endpoints:
    "organization_id id url description types secret previous_secret previous_secret_expires_at disabled_reason disabled_at failing_since slow_since position last_position created_at updated_at",
  webhook_deliveries: "organization_id id event_id custom_body lease created_at updated_at",
  webhook_attempts: "organization_id number started_at duration status response error",
  pictures: "organization_id created_at",
  wallet_queues: "organization_id position sweeps",
  wallet_cards:
    "organization_id pass_id authentication_token link_token revision changed_at at_google_since revoked_at notified_until released_at message_delivery_id message_until message_revision is_message_announced notification_times created_at",
  wallet_devices:
    "organization_id platform device_id push_token state notified_revision created_at updated_at",
  wallet_deliveries: "organization_id platform revision attempts next_attempt_at lease created_at",
  subscriptions:
    "organization_id email_status email_at email_source email_text wallet_status wallet_at wallet_source wallet_text suppressed_reason suppressed_at email_confirmed_at address_since language",
  settings: "organization_id time_zone counted_since name language currency requires_email updated_at",
  message_settings:
    "organization_id sender_name reply_to footer quiet_from quiet_to cap_days cap_messages is_wallet_default updated_at",
  message_deliveries:
    "organization_id id kind user_id pass_id message_id channel platform language reason is_silent is_uncertain attempts failures expires_at created_at updated_at automation_run_id action_index",
  mail_queues: "organization_id token link_key",
  mail_jobs: "organization_id lane revision attempts next_attempt_at lease created_at",
  messages:
    "organization_id id name audience template_id channels order texts link send_at expires_at show_until respects_cap started_at completed_at ends_at shown_until customers uncertain cursor is_settled created_at updated_at status",
  message_audiences: "organization_id chunk ordinals",
  message_queues: "organization_id test_times created_at",
  message_jobs: "organization_id lane revision attempts next_attempt_at lease created_at",
  automations:
    "organization_id id name is_enabled version on if after do per start_position creator_id date_day date_cursor created_at updated_at",
  automation_versions: "organization_id version if after do per creator_id ended_at",
  automation_runs:
    "organization_id id automation_id version occasion status reason action_index due_at attempts created_at updated_at",
  automation_completions: "organization_id done_at",
  automation_queues: "organization_id position created_at",
  automation_jobs: "organization_id lane revision attempts next_attempt_at lease created_at",
  // The actor can be redacted. All other values are part of the hash.
  audit: "organization_id subject salt",
  cooldowns: "organization_id name until",
  people:
    "organization_id id email email_fold email_proven_at name role invited_at last_signed_in_at link_hash link_expires_at is_link_mailed sessions passkeys created_at",
  servers: "id key_print seen_at",
  migrations: "version applied_at",
};

/** How a column is damaged, and what the check does about it. */
interface Damage {
  /** SQL of the value that the column is set to. */
  readonly to: string;
  /** The rows to damage. Default: all. */
  readonly where?: string;
  /** The wrong value can't be computed again, so every check reports it. */
  readonly isTold?: true;
  /** Postgres can't store the wrong value, because it enforces references. */
  readonly isOfSqlite?: true;
  /** Only SQLite has the column. */
  readonly isColumnOfSqlite?: true;
  /** How many other users must exist. Default: none. */
  readonly otherDamages?: number;
}

/** Placeholder for the id of the damaged organization. */
const HERE = ":organization";

const reported = { isTold: true } as const;
const danglingReported = { isTold: true, isOfSqlite: true } as const;
const ada = { where: "email = 'ada@example.com'" };

export const derivedColumns: Readonly<Record<string, Readonly<Record<string, Damage>>>> = {
  organizations: {
    next_user_ordinal: { to: "0" },
    newest_user_id: { to: "'usr_other'" },
    newest_user_created_at: { to: "1" },
    next_tag_ordinal: { to: "0" },
    newest_event_position: { to: "1" },
    newest_event_minute: { to: "1" },
    time_zone: { to: "'Asia/Tokyo'" },
  },
  users: {
    email_fold: { to: "'ada'", ...ada },
    name_fold: { to: "null", ...ada },
    external_id_fold: { to: "'c-2'", ...ada },
    search_text: { to: "'somebody else'", ...ada },
    // No user of a complete block of 256 has it.
    late: { to: "1", ...ada, otherDamages: 256, isColumnOfSqlite: true },
  },
  user_tag_assignments: {
    user_ordinal: { to: "77", ...danglingReported },
    tag_ordinal: { to: "77", where: "tag_ordinal = 1", ...reported },
  },
  tag_removals: { target_ordinal: { to: "77", ...danglingReported } },
  // Places beyond the newest organization's belong to no organization.
  events: { place: { to: "place + 4398046511104", where: "position = 2", isColumnOfSqlite: true } },
  segment_sets: { version: { to: "0" } },
  segment_chunks: {
    set_id: { to: "77", where: "set_id = 1", ...danglingReported },
    version: { to: "version + 7" },
    bits: {
      to: `(select other.bits from loyalty_segment_chunks other where other.organization_id = ${HERE} and other.set_id = 0)`,
      where: "set_id = 1",
    },
  },
  segment_slices: {
    segment_id: { to: "'seg_other'" },
    ordinals: {
      to: `(select bits from loyalty_segment_chunks other where other.organization_id = ${HERE} and other.set_id = 0)`,
    },
  },
  segment_days: { segment_id: { to: "'seg_other'", ...danglingReported } },
  wallet_passes: {
    user_ordinal: { to: "77", ...danglingReported },
    template_id: { to: "'tpl_other'", ...danglingReported },
    max_stamps: { to: "7", ...reported },
    current_stamps: { to: "9" },
    times_completed: { to: "null" },
    rewards_available: { to: "7" },
    total_stamps_collected: { to: "total_stamps_collected - 1" },
    last_stamp_at: { to: "last_stamp_at - 1" },
    visits: { to: "'[1]'" },
    entries: { to: "entries - 1" },
  },
  stamp_entries: {
    pass_id: { to: "'wp_other'", ...danglingReported },
    sequence: { to: "sequence + 70", where: "sequence = 2", ...reported },
    delta: { to: "delta + 1", where: "sequence = 1", ...reported },
    stamps_before: { to: "stamps_before + 1", where: "sequence = 2", ...reported },
    stamps_after: { to: "stamps_after - 1", where: "sequence = 4", ...reported },
    completions: { to: "0", where: "sequence = 1", ...reported },
    reverses: { to: "'ste_other'", where: "reverses is not null", ...reported },
  },
  past_programs: { template_id: { to: "'tpl_other'", ...danglingReported } },
  point_cards: {
    pass_id: { to: "'wp_other'", ...danglingReported },
    debt: { to: "debt + 1" },
    earned: { to: "earned - 1" },
    spent: { to: "7" },
    expired: { to: "7" },
    entries: { to: "entries - 1" },
    last_earned_at: { to: "null" },
    next_change_at: { to: "null" },
  },
  point_lots: {
    pass_id: { to: "'wp_other'", ...danglingReported },
    sequence: { to: "sequence + 70", where: "sequence = 1", ...reported },
    points: { to: "points + 1" },
    remaining: { to: "remaining + 1" },
    expired: { to: "7" },
    expires_at: { to: "1" },
    purchase_id: { to: "'pur_other'" },
  },
  point_entries: {
    pass_id: { to: "'wp_other'", ...danglingReported },
    sequence: { to: "sequence + 70", where: "sequence = 2", ...reported },
    points: { to: "points + 1", where: "sequence = 1", ...reported },
    debt: { to: "debt + 1", where: "sequence = 3", ...reported },
    lots: { to: "'[]'", where: "sequence = 1", ...reported },
    source: { to: "'other'", where: "sequence = 1", ...reported },
    receipt: { to: "'other'", where: "sequence = 1", ...reported },
    reverses: { to: "70", where: "reverses is not null", ...reported },
  },
  purchases: {
    id: { to: "'pur_other'", where: "receipt = '1'", ...reported },
    source: { to: "'other'", ...reported },
    receipt: { to: "'other'", where: "receipt = '1'", ...reported },
    remaining_amount: { to: "remaining_amount + 1", ...reported },
  },
  purchase_effects: {
    purchase_id: { to: "'pur_other'", where: "units = 7", ...reported },
    pass_id: { to: "'wp_other'", ...danglingReported },
    user_id: { to: "'usr_other'" },
    template_id: { to: "'tpl_other'" },
    program_version: { to: "77", ...reported },
    unit: { to: "'stamps'", ...reported },
    units: { to: "units + 1", ...reported },
    not_taken: { to: "not_taken + 1", ...reported },
    at: { to: "at - 1" },
  },
  purchase_returns: { purchase_id: { to: "'pur_other'", ...reported } },
  grant_tokens: { grant_id: { to: "'grt_other'", ...danglingReported } },
  webhook_endpoints: { pending: { to: "7" }, due_at: { to: "null" } },
  webhook_deliveries: {
    endpoint_id: { to: "'whe_other'", ...danglingReported },
    event_position: { to: "2" },
    event_type: { to: "'user.erased'" },
    status: { to: "'failed'", where: "status = 'pending'", ...reported },
    attempts: { to: "7" },
    next_attempt_at: { to: "null", where: "status = 'pending'", ...reported },
  },
  webhook_attempts: { delivery_id: { to: "'whd_other'", ...danglingReported } },
  settings: { logo: { to: "'other'", ...reported } },
  pictures: {
    hash: { to: `'${"0".repeat(64)}'`, ...reported },
    type: { to: "'image/jpeg'" },
    width: { to: "1" },
    height: { to: "1" },
    bytes: {
      to: `(select bits from loyalty_segment_chunks other where other.organization_id = ${HERE} and other.set_id = 0)`,
      ...reported,
    },
  },
  wallet_queues: { revision: { to: "0" }, due_at: { to: "null" } },
  wallet_cards: { template_id: { to: "'tpl_other'" }, message_id: { to: "'msg_other'" } },
  wallet_devices: { pass_id: { to: "'wp_other'", ...danglingReported } },
  wallet_deliveries: { pass_id: { to: "'wp_other'", ...danglingReported } },
  subscriptions: { user_id: { to: "'usr_other'", ...danglingReported } },
  message_deliveries: {
    status: { to: "'FAILED'", where: "status = 'PENDING'", ...reported },
    next_attempt_at: { to: "null", where: "status = 'PENDING'", ...reported },
  },
  mail_queues: { due_at: { to: "null" } },
  messages: {
    recipients: { to: "recipients + 1", ...reported },
    pending: { to: "pending + 1", ...reported },
    sending: { to: "sending + 1", ...reported },
    accepted: { to: "accepted - 1", ...reported },
    failed: { to: "failed + 1", ...reported },
    skipped: { to: `'{"customer_deleted":1}'`, ...reported },
  },
  message_queues: { due_at: { to: "null" } },
  message_audiences: { message_id: { to: "'msg_other'", ...danglingReported } },
  message_jobs: { message_id: { to: "'msg_other'", ...danglingReported } },
  automation_versions: { automation_id: { to: "'aut_other'", ...danglingReported } },
  automation_runs: {
    user_id: { to: "'usr_other'", ...danglingReported },
    next_attempt_at: { to: "null", where: "status = 'WAITING'", ...reported },
  },
  automation_completions: {
    automation_id: { to: "'aut_other'", ...danglingReported },
    user_id: { to: "'usr_other'", ...danglingReported },
  },
  automation_queues: { due_at: { to: "null" } },
  automation_jobs: { automation_id: { to: "'aut_other'", ...danglingReported } },
  mail_jobs: { delivery_id: { to: "'mdl_other'", ...danglingReported } },
  audit: {
    sequence: { to: "sequence + 7", ...reported },
    action: { to: "'app.created'", ...reported },
    target: { to: "'akt_other'", ...reported },
    details: { to: `'{"name":"other"}'`, ...reported },
    actor: { to: `'{"kind":"worker"}'`, ...reported },
    subject_seal: { to: "'other'", ...reported },
    previous_hash: { to: "hash", ...reported },
    hash: { to: "previous_hash", ...reported },
    created_at: { to: "created_at + 1", ...reported },
  },
};

const damages = Object.entries(derivedColumns).flatMap(([table, columns]) =>
  Object.entries(columns).map(([column, damage]) => ({
    what: `${table}.${column}`,
    table,
    column,
    ...damage,
  })),
);

const IN_VIP = '{"operator":"AND","conditions":[{"slug":"vip"}]}';

/** Gives a customer points for a purchase, takes some of them back for a return, and spends some. */
async function buyAndReturn(
  { templates, passes, purchases, points }: Organization,
  userId: string,
): Promise<void> {
  const earning = { currency: "EUR", rules: [{ give: 1, per: { amount: 100 } }] };
  const expiry = { months: 12, to: "month" } as const;
  const club = await templates.create({ name: "Club", type: "LOYALTY_CARD", earning, points: { expiry } });
  const { id: passId } = await passes.create(club.id, { userId });
  await purchases.put("till", "1", { userId, currency: "EUR", lines: [{ amount: 1_000 }] });
  await templates.update(club.id, { points: {} });
  await purchases.addReturn("till", "1", { returnId: "back", lines: [{ id: "0", amount: 300 }] });
  const { entryId } = await points.spend(passId, { points: 3 });
  await points.reverse(passId, { entryId });
  await templates.update(club.id, { points: { pendingDays: 7, expiry } });
  await purchases.put("till", "2", { userId, currency: "EUR", lines: [{ amount: 200 }] });
}

/** Creates at least one row of each table that has a derived column, with correct values. */
export async function fillOrganization(storage: StorageAdapter, organizationId: string): Promise<void> {
  const acme = new LoyaltyService({ storage }).organization(organizationId);
  const ada = await acme.users.create({ email: "ada@example.com", name: "Zoë Ĳsbrand", externalId: "C-1" });
  await acme.users.create({ email: "bob@example.com", phone: "+49 30 1" });
  await acme.tags.create({ name: "VIP" });
  await acme.tags.assign(ada.id, "vip");
  const coffee = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 10 });
  const pass = await acme.passes.create(coffee.id, { userId: ada.id });
  await acme.passes.create(coffee.id, { userId: ada.id });
  await acme.stamps.add(pass.id, { count: 23 });
  await acme.stamps.remove(pass.id);
  const { entryId } = await acme.stamps.redeem(pass.id);
  await acme.stamps.reverse(pass.id, { entryId });
  await buyAndReturn(acme, ada.id);
  const { id: tokenId } = (await acme.apiTokens.create({ name: "Till", scopes: ["pass:read"] })).apiToken;
  await acme.apiTokens.delete(tokenId);
  const redirectUri = "https://app.example/";
  const { app } = await acme.apps.create({ name: "App", redirectUris: [redirectUri], scopes: ["user:read"] });
  const codeChallenge = "a".repeat(43);
  const scopes = ["user:read"] as const;
  await acme.grants.allow({ appId: app.id, subject: "anna", scopes, redirectUri, codeChallenge });
  const { webhookEndpoint } = await acme.webhooks.create({ url: "https://hooks.example/loyalty" });
  const [event] = (await acme.events.list({ limit: 1 })).content;
  if (event === undefined) throw new Error("there is no event");
  const bytes = createPng(3, 2);
  const hash = createHash("sha256").update(bytes).digest("hex");
  await storage.transaction(organizationId, function* (tx) {
    const rows = new Rows(organizationId, tx);
    const user = yield* tx.findUser(ada.id);
    if (user === null) throw new Error("there is no user");
    const endpoint = yield* tx.lockWebhookEndpoint(webhookEndpoint.id, true);
    if (endpoint === null) throw new Error("there is no endpoint");
    const source = { eventId: event.id, eventPosition: 1, eventType: event.type };
    const [delivery] = yield* rows.deliveries(endpoint, [{ ...source, nextAttemptAt: 1 }]);
    if (delivery === undefined) throw new Error("there is no delivery");
    yield* rows.claim(endpoint);
    yield* rows.record(endpoint, [someOutcome(delivery)]);
    yield* rows.deliveries(endpoint, [source]);
    yield* tx.putPicture({
      hash,
      type: "image/png",
      width: 3,
      height: 2,
      bytes,
      createdAt: 1,
    });
    yield* rows.walletQueue({ revision: 1 });
    const card = someWalletCard({ passId: pass.id, templateId: coffee.id, revision: 1 });
    yield* tx.insertWalletCard(card);
    yield* tx.putWalletDevice(someWalletDevice(card));
    yield* tx.putJobs(walletJobs, [someWalletDelivery(card, { nextAttemptAt: 3 })]);
    yield* tx.putSubscription(someSubscription(ada));
    yield* rows.mailQueue({ token: organizationId });
    const [mail] = yield* rows.messageDeliveries([{ userId: ada.id, passId: pass.id }]);
    if (mail !== undefined) yield* rows.mailJob(mail);
    yield* rows.messageQueue();
    const sums = { customers: 2, recipients: 2, pending: 1, accepted: 1 };
    const message = yield* rows.message({ status: "SENDING", ...sums });
    const attempt = { kind: "message", messageId: message.id, status: "ACCEPTED" } as const;
    yield* rows.messageDeliveries([{ ...attempt, userId: ada.id, nextAttemptAt: null }]);
    yield* tx.putMessageAudience(message.id, Bitmap.of([0]));
    yield* rows.messageJob(message);
    const segment = yield* rows.segment({ emitsEvents: true, filter: IN_VIP });
    yield* tx.putSegmentMembers(segment.id, Bitmap.of([0]));
    yield* tx.putSegmentFollower({ position: null, watermark: 0, nextMidnight: 86_400_000 });
    yield* tx.insertSilentChange({ id: "silent", names: "[]" });
    const [old, vip] = [yield* rows.tag(), yield* tx.findTag("vip")];
    yield* rows.assign(user, old);
    yield* tx.removeTag(someTagRemoval(old, { targetOrdinal: vip?.ordinal ?? null }));
    yield* tx.recordMemberCount(segment.id, 1, 1);
    yield* rows.settings({ timeZone: "UTC", countedSince: 0, logo: null });
    yield* rows.automationQueue();
    const automation = yield* rows.automation({ version: 2 });
    yield* rows.automationJob(automation);
    yield* rows.automationRuns(automation, user, [{}]);
    const { id: automationId, if: filter, after, do: actions, per, creatorId } = automation;
    const past = { automationId, version: 1, if: filter, after, do: actions, per, creatorId, endedAt: 1 };
    yield* tx.insertPastAutomation(past);
    yield* tx.putAutomationCompletion({ automationId, userId: ada.id, doneAt: 1 });
  });
}

/** Tests that each derived column is checked, and that each column is listed as either derived or not. */
export function testDerivedColumns({ name, open }: Database): void {
  let shop: Damageable;
  beforeAll(async () => {
    shop = await open();
  });

  it("finds nothing in undamaged storage", async () => {
    await fillOrganization(shop.storage, "whole");
    expect(await checkStorage(shop.storage, { organizationId: "whole" })).toEqual([]);
  });

  const cases = damages.filter(
    ({ isOfSqlite, isColumnOfSqlite }) => name === "SQLite" || (!isOfSqlite && !isColumnOfSqlite),
  );

  it.each(cases)("reports a wrong $what, and repairs it or keeps reporting it", async (damage) => {
    const { table, column, to, where = "true", isTold = false, otherDamages = 0 } = damage;
    const organizationId = `${table}.${column}`;
    const replaceHere = (sql: string) => sql.replaceAll(HERE, `'${organizationId}'`);
    await fillOrganization(shop.storage, organizationId);
    const emails = Array.from({ length: otherDamages }, (_, at) => ({ email: `customer-${at}@example.com` }));
    await new LoyaltyService({ storage: shop.storage }).organization(organizationId).users.import(emails);
    const check = (repair: boolean) => checkStorage(shop.storage, { organizationId, repair });
    await shop.damage(
      replaceHere(
        `update loyalty_${table} set ${column} = ${to} where organization_id = ${HERE} and (${where})`,
      ),
    );
    const found = await check(false);
    expect(found.length).toBeGreaterThan(0);
    const repairReport = await check(true);
    expect(repairReport.every(({ isRepaired }) => isRepaired)).toBe(!isTold);
    expect((await check(isTold)).length > 0).toBe(isTold);
  });

  const listColumns = (columns: Readonly<Record<string, Damage>>) =>
    Object.keys(columns).filter((column) => name === "SQLite" || !columns[column]?.isColumnOfSqlite);

  it("covers every column, as derived or not", async () => {
    const columns = await shop.rows(
      name === "SQLite"
        ? "select tables.name as owner, columns.name as part from sqlite_schema tables, pragma_table_info(tables.name) columns where tables.type = 'table'"
        : "select table_name as owner, column_name as part from information_schema.columns join information_schema.tables using (table_schema, table_name) where table_schema = current_schema() and table_type = 'BASE TABLE'",
    );
    const knownColumns = new Set(
      [...Object.entries(ownColumns), ...Object.entries(derivedColumns)].flatMap(([table, columns]) =>
        (typeof columns === "string" ? columns.split(" ") : listColumns(columns)).map(
          (column) => `${table}.${column}`,
        ),
      ),
    );
    // The search index is compared with the texts of users instead.
    const storedColumns = columns
      .map(({ owner, part }) => `${owner}.${part}`.replace(/^loyalty_/, ""))
      .filter((column) => !/^(sqlite_|search_|user_words|user_pieces)/.test(column));
    expect(storedColumns.filter((column) => !knownColumns.has(column))).toEqual([]);
    expect([...knownColumns].filter((column) => !storedColumns.includes(column))).toEqual([]);
  });
}
