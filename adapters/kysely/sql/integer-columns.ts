import type { Column, ColumnKind } from "../../../src/storage/record.js";
import { sqlName, sqlTableName } from "./columns.js";
import { type OtherTables, tables } from "./tables.js";

type Integers<Table> = {
  readonly [Column in keyof Table as NonNullable<Table[Column]> extends number ? Column : never]: true;
};

const kinds: ReadonlySet<ColumnKind> = new Set(["integer", "time", "boolean"]);

const derived = Object.values(tables).map(({ record, beside }) => {
  const columns = Object.entries<Column>({ ...record.columns, ...beside });
  const integers = columns.filter(([, { kind }]) => kinds.has(kind)).map(([name]) => [sqlName(name), true]);
  return [sqlTableName(record), Object.fromEntries(integers)];
});

/** The columns that hold integers, all of them and no others. */
export const integerColumns: Readonly<Record<string, Readonly<Record<string, true>>>> = {
  ...Object.fromEntries(derived),
  ...({
    loyalty_organizations: {
      next_user_ordinal: true,
      newest_user_created_at: true,
      next_tag_ordinal: true,
      newest_event_position: true,
      newest_event_minute: true,
    },
    loyalty_users: { ordinal: true, created_at: true, updated_at: true },
    loyalty_user_tags: { ordinal: true, created_at: true, updated_at: true },
    loyalty_user_tag_assignments: { user_ordinal: true, tag_ordinal: true, created_at: true },
    loyalty_segment_sets: { set_id: true, version: true },
    loyalty_segment_chunks: { set_id: true, chunk: true, version: true },
    loyalty_wallet_passes: {
      user_ordinal: true,
      is_preview_pass: true,
      max_stamps: true,
      current_stamps: true,
      times_completed: true,
      rewards_available: true,
      total_stamps_collected: true,
      last_stamp_at: true,
      entries: true,
      created_at: true,
      updated_at: true,
    },
    loyalty_stamp_entries: {
      sequence: true,
      delta: true,
      stamps_before: true,
      stamps_after: true,
      completions: true,
      created_at: true,
    },
    loyalty_api_tokens: { created_at: true, last_used_at: true, expires_at: true },
    loyalty_events: { position: true, created_at: true },
    loyalty_answers: { created_at: true, end_bytes: true },
    loyalty_apps: { previous_secret_expires_at: true, created_at: true, updated_at: true },
    loyalty_grants: { created_at: true, expires_at: true },
    loyalty_grant_tokens: { created_at: true, expires_at: true, used_at: true },
    loyalty_webhook_endpoints: {
      previous_secret_expires_at: true,
      disabled_at: true,
      failing_since: true,
      slow_since: true,
      position: true,
      due_at: true,
      pending: true,
      last_position: true,
      created_at: true,
      updated_at: true,
    },
    loyalty_webhook_deliveries: { attempts: true, next_attempt_at: true, created_at: true, updated_at: true },
    loyalty_webhook_attempts: { number: true, started_at: true, duration: true, status: true },
    loyalty_pictures: { width: true, height: true, created_at: true },
    loyalty_wallet_queues: { position: true, revision: true, due_at: true },
    loyalty_wallet_cards: {
      revision: true,
      changed_at: true,
      at_google_since: true,
      revoked_at: true,
      told_until: true,
      installation_due_at: true,
      let_go_at: true,
      created_at: true,
    },
    loyalty_wallet_devices: { told_revision: true, created_at: true, updated_at: true },
    loyalty_wallet_deliveries: { revision: true, attempts: true, next_attempt_at: true, created_at: true },
    loyalty_day_counts: {
      day: true,
      members: true,
      cards: true,
      stamps: true,
      rewards_earned: true,
      rewards_redeemed: true,
      installs_apple: true,
      installs_google: true,
      installs_other: true,
    },
    loyalty_audit: { sequence: true, created_at: true },
    loyalty_servers: { seen_at: true },
    loyalty_migrations: { version: true, applied_at: true },
  } satisfies { readonly [Name in keyof OtherTables]: Integers<OtherTables[Name]> }),
};
