import type { Tables } from "../sql/tables.js";

type CopiedTable = Exclude<keyof Tables, "loyalty_migrations" | "loyalty_servers">;

interface Copied<Name extends CopiedTable> {
  /** The columns of its primary key after the organization, in their order. */
  readonly key: readonly (keyof Tables[Name] & string)[];
  /** How many rows are in memory at a time. */
  readonly batch: number;
}

const MANY = 1_000;

/** Every table with what is kept, those that others refer to first. What a search goes by is made anew instead. */
export const copiedTables: { readonly [Name in CopiedTable]: Copied<Name> } = {
  loyalty_organizations: { key: [], batch: MANY },
  loyalty_users: { key: ["ordinal"], batch: MANY },
  loyalty_user_tags: { key: ["id"], batch: MANY },
  loyalty_user_tag_assignments: { key: ["user_ordinal", "tag_ordinal"], batch: MANY },
  loyalty_segment_sets: { key: ["set_id"], batch: MANY },
  loyalty_segment_chunks: { key: ["set_id", "chunk"], batch: 64 },
  loyalty_templates: { key: ["id"], batch: MANY },
  loyalty_wallet_passes: { key: ["id"], batch: MANY },
  loyalty_stamp_entries: { key: ["pass_id", "sequence"], batch: MANY },
  loyalty_api_tokens: { key: ["id"], batch: MANY },
  loyalty_events: { key: ["position"], batch: MANY },
  loyalty_answers: { key: ["key_hash"], batch: MANY },
  loyalty_apps: { key: ["id"], batch: MANY },
  loyalty_grants: { key: ["id"], batch: MANY },
  loyalty_grant_tokens: { key: ["id"], batch: MANY },
  loyalty_webhook_endpoints: { key: ["id"], batch: MANY },
  loyalty_webhook_deliveries: { key: ["id"], batch: MANY },
  loyalty_webhook_attempts: { key: ["delivery_id", "number"], batch: MANY },
  loyalty_pictures: { key: ["hash"], batch: 8 },
  loyalty_wallet_queues: { key: [], batch: MANY },
  loyalty_wallet_cards: { key: ["pass_id"], batch: MANY },
  loyalty_wallet_devices: { key: ["pass_id", "platform", "device_id"], batch: MANY },
  loyalty_wallet_deliveries: { key: ["platform", "pass_id"], batch: MANY },
  loyalty_day_counts: { key: ["day"], batch: MANY },
  loyalty_audit: { key: ["sequence"], batch: MANY },
};
