import type { ConflictingKey } from "../../src/storage.js";

/** Each unique constraint of the port by the last of its columns. */
const keys: ReadonlyMap<string, ConflictingKey> = new Map([
  ["loyalty_users.email_fold", "email"],
  ["loyalty_users.external_id", "externalId"],
  ["loyalty_user_tags.slug", "slug"],
  ["loyalty_user_tag_assignments.tag_ordinal", "assignment"],
  ["loyalty_wallet_passes.code", "code"],
]);

/** Which key of the port a broken unique constraint guards; `null` for one that only a fault can break. */
export function conflictingKey(table: string, lastColumn: string): ConflictingKey | null {
  return keys.get(`${table}.${lastColumn}`) ?? null;
}
