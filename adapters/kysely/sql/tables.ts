import type { GrantTokenKind } from "../../../src/storage/apps.js";
import type { InstallationStatus, StampEntryType } from "../../../src/storage/passes.js";
import type { Column, Columns, TableRecord } from "../../../src/storage/record.js";
import { templateRecord } from "../../../src/storage/templates.js";
import type { WalletDeviceState, WalletPlatform } from "../../../src/storage/wallets.js";
import type { DeliveryStatus, DisabledReason } from "../../../src/storage/webhooks.js";
import type { SqlName, SqlTable } from "./columns.js";

/*
 * The tables as Kysely sees them. Their names begin with `loyalty_`, so that a host can keep its own tables beside
 * them; what follows, and the columns, are the names on the wire in snake_case; times are milliseconds since the
 * Unix epoch, booleans 0 or 1, and a `…_fold` is the lower-cased NFC form that searches, sorts and keys go by.
 */

export interface OtherTables {
  loyalty_organizations: OrganizationsTable;
  loyalty_users: UsersTable;
  loyalty_user_tags: UserTagsTable;
  loyalty_user_tag_assignments: UserTagAssignmentsTable;
  loyalty_segment_sets: SegmentSetsTable;
  loyalty_segment_chunks: SegmentChunksTable;
  loyalty_wallet_passes: WalletPassesTable;
  loyalty_stamp_entries: StampEntriesTable;
  loyalty_api_tokens: ApiTokensTable;
  loyalty_events: EventsTable;
  loyalty_answers: AnswersTable;
  loyalty_apps: AppsTable;
  loyalty_grants: GrantsTable;
  loyalty_grant_tokens: GrantTokensTable;
  loyalty_webhook_endpoints: WebhookEndpointsTable;
  loyalty_webhook_deliveries: WebhookDeliveriesTable;
  loyalty_webhook_attempts: WebhookAttemptsTable;
  loyalty_pictures: PicturesTable;
  loyalty_wallet_queues: WalletQueuesTable;
  loyalty_wallet_cards: WalletCardsTable;
  loyalty_wallet_devices: WalletDevicesTable;
  loyalty_wallet_deliveries: WalletDeliveriesTable;
  loyalty_day_counts: DayCountsTable;
  loyalty_audit: AuditTable;
  loyalty_servers: ServersTable;
  loyalty_migrations: LoyaltyMigrationsTable;
}

/** A table as SQL databases have it. */
export interface KeptTable<Own extends Columns, Key extends keyof Own, Beside extends Columns> {
  readonly record: TableRecord<Own, Key>;
  /** The columns that the port does not know. */
  readonly beside: Beside;
  /** The columns that an update leaves as they are. */
  readonly fixed: readonly (keyof Own | keyof Beside)[];
}

function kept<
  Own extends Columns,
  Key extends keyof Own,
  const Beside extends Columns = Record<never, Column>,
>(
  record: TableRecord<Own, Key>,
  beside: Beside,
  fixed: readonly (keyof Beside)[] = [],
): KeptTable<Own, Key, Beside> {
  return { record, beside, fixed: [...record.fixed, ...fixed] };
}

/** Those tables that have what is kept of organizations, those that others refer to first. */
export const tables = {
  templates: kept(templateRecord, {}),
};

type Kept = typeof tables;

export type Tables = OtherTables & {
  [Name in keyof Kept as `loyalty_${SqlName<Name>}`]: SqlTable<
    Kept[Name]["record"]["columns"] & Kept[Name]["beside"]
  >;
};

/**
 * One row for each organization that ever stored something: which numbers its next user, tag and event get. The time of the
 * newest event is in minutes: it is indexed, and so changes rarely.
 */
interface OrganizationsTable {
  organization_id: string;
  next_user_ordinal: number;
  newest_user_id: string | null;
  newest_user_created_at: number | null;
  next_tag_ordinal: number;
  newest_event_position: number;
  newest_event_minute: number;
  open_day: string | null;
}

/** `search_text` is all folds of the user in one. */
interface UsersTable {
  organization_id: string;
  id: string;
  ordinal: number;
  email: string;
  name: string | null;
  phone: string | null;
  external_id: string | null;
  metadata: string;
  created_at: number;
  updated_at: number;
  email_fold: string;
  name_fold: string | null;
  external_id_fold: string | null;
  search_text: string;
}

/** `ordinal` numbers the tags of an organization from 1, never twice: the tag's set has the same number. */
interface UserTagsTable {
  organization_id: string;
  id: string;
  ordinal: number;
  slug: string;
  name: string;
  description: string | null;
  color: string;
  created_at: number;
  updated_at: number;
}

interface UserTagAssignmentsTable {
  organization_id: string;
  user_ordinal: number;
  tag_ordinal: number;
  id: string;
  created_at: number;
}

/** `version` grows with every change of the set. */
interface SegmentSetsTable {
  organization_id: string;
  set_id: number;
  version: number;
}

/** The ordinals of a set in pieces; `version` is that of the set when this piece last changed. */
interface SegmentChunksTable {
  organization_id: string;
  set_id: number;
  chunk: number;
  version: number;
  bits: Uint8Array;
}

/** The days of an organization but for the newest one, which is in `open_day` of its row, as JSON. */
interface DayCountsTable {
  organization_id: string;
  day: number;
  members: number;
  cards: number;
  stamps: number;
  rewards_earned: number;
  rewards_redeemed: number;
  installs_apple: number;
  installs_google: number;
  installs_other: number;
}

/** The seven columns of the card are all null for a pass without stamps, except that `last_stamp_at` may be. */
interface WalletPassesTable {
  organization_id: string;
  id: string;
  user_ordinal: number;
  template_id: string;
  code: string;
  is_preview_pass: number;
  installation_status: InstallationStatus | null;
  max_stamps: number | null;
  current_stamps: number | null;
  times_completed: number | null;
  rewards_available: number | null;
  total_stamps_collected: number | null;
  last_stamp_at: number | null;
  entries: number | null;
  created_at: number;
  updated_at: number;
}

interface StampEntriesTable {
  organization_id: string;
  pass_id: string;
  sequence: number;
  id: string;
  type: StampEntryType;
  delta: number;
  stamps_before: number;
  stamps_after: number;
  completions: number;
  note: string | null;
  reverses: string | null;
  created_at: number;
  actor: string | null;
  subject: string | null;
}

/** `details` and `actor` are JSON. `subject` and `salt` are emptied when the subject is forgotten; the other columns never change. */
interface AuditTable {
  organization_id: string;
  sequence: number;
  act: string;
  target: string | null;
  details: string;
  actor: string | null;
  subject: string | null;
  salt: string | null;
  subject_seal: string | null;
  previous_hash: string;
  hash: string;
  created_at: number;
}

/** `scopes` and `allowed_addresses` are JSON arrays. */
interface ApiTokensTable {
  organization_id: string;
  id: string;
  name: string;
  prefix: string;
  hash: string;
  scopes: string;
  created_at: number;
  last_used_at: number | null;
  expires_at: number | null;
  allowed_addresses: string | null;
  made_by: string | null;
}

interface EventsTable {
  organization_id: string;
  position: number;
  id: string;
  type: string;
  created_at: number;
  data: string;
  actor: string | null;
  subject: string | null;
}

/** What calls with an idempotency key were answered; `end_bytes` is how much was until and with this one. */
interface AnswersTable {
  organization_id: string;
  key_hash: string;
  fingerprint: string;
  sealed: string;
  created_at: number;
  user_id: string | null;
  end_bytes: number;
}

/** `redirect_uris` and `scopes` are JSON arrays. */
interface AppsTable {
  organization_id: string;
  id: string;
  name: string;
  secret_hash: string;
  previous_secret_hash: string | null;
  previous_secret_expires_at: number | null;
  redirect_uris: string;
  scopes: string;
  created_at: number;
  updated_at: number;
  made_by: string | null;
}

/** `scopes` is a JSON array. The app may be of another organization; `token_id` is the API token that the grant ends with. */
interface GrantsTable {
  organization_id: string;
  id: string;
  app_id: string;
  subject: string;
  scopes: string;
  created_at: number;
  token_id: string | null;
  expires_at: number | null;
}

/** `scopes` is a JSON array, `details` JSON. */
interface GrantTokensTable {
  organization_id: string;
  id: string;
  grant_id: string;
  kind: GrantTokenKind;
  hash: string;
  scopes: string;
  details: string;
  created_at: number;
  expires_at: number;
  used_at: number | null;
}

/**
 * `types` is a JSON array, null for all. `pending` is how many pending deliveries it has, `due_at` the first
 * `next_attempt_at` of them.
 */
interface WebhookEndpointsTable {
  organization_id: string;
  id: string;
  url: string;
  description: string | null;
  types: string | null;
  secret: string;
  previous_secret: string | null;
  previous_secret_expires_at: number | null;
  disabled_reason: DisabledReason | null;
  disabled_at: number | null;
  failing_since: number | null;
  slow_since: number | null;
  position: number;
  due_at: number | null;
  pending: number;
  last_position: number | null;
  created_at: number;
  updated_at: number;
}

/** `lease` names the claim of a worker, which ends at `next_attempt_at`; null while nobody has claimed it. */
interface WebhookDeliveriesTable {
  organization_id: string;
  id: string;
  endpoint_id: string;
  event_id: string;
  event_type: string;
  own_body: string | null;
  status: DeliveryStatus;
  attempts: number;
  next_attempt_at: number | null;
  lease: string | null;
  created_at: number;
  updated_at: number;
}

interface WebhookAttemptsTable {
  organization_id: string;
  delivery_id: string;
  number: number;
  started_at: number;
  duration: number;
  status: number | null;
  answer: string | null;
  error: string | null;
}

interface PicturesTable {
  organization_id: string;
  hash: string;
  type: string;
  width: number;
  height: number;
  bytes: Uint8Array;
  created_at: number;
}

/** `sweeps` is a JSON array of pairs. `due_at` is the first `next_attempt_at` of the organization's deliveries. */
interface WalletQueuesTable {
  organization_id: string;
  position: number;
  revision: number;
  sweeps: string;
  due_at: number | null;
}

/** What wallets know of a pass. It stays when the pass is deleted, until wallets are told. */
interface WalletCardsTable {
  organization_id: string;
  pass_id: string;
  template_id: string;
  authentication_token: string;
  link_token: string;
  revision: number;
  changed_at: number;
  at_google_since: number | null;
  revoked_at: number | null;
  told_until: number | null;
  installation_due_at: number | null;
  let_go_at: number | null;
  created_at: number;
}

interface WalletDevicesTable {
  organization_id: string;
  pass_id: string;
  platform: WalletPlatform;
  device_id: string;
  push_token: string | null;
  state: WalletDeviceState;
  told_revision: number;
  created_at: number;
  updated_at: number;
}

/** `lease` names the claim of a worker, which ends at `next_attempt_at`; null while nobody has claimed it. */
interface WalletDeliveriesTable {
  organization_id: string;
  platform: WalletPlatform;
  pass_id: string;
  revision: number;
  attempts: number;
  next_attempt_at: number;
  lease: string | null;
  created_at: number;
}

/** One row for each process that serves the database. `key_print` tells keys apart without telling them. */
interface ServersTable {
  id: string;
  key_print: string;
  seen_at: number;
}

interface LoyaltyMigrationsTable {
  version: number;
  applied_at: number;
}
