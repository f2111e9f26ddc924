import { postgresStorage } from "loyalty-kit/postgres";
import type pg from "pg";
import { buildSearchText, findFirstUnindexed } from "../../adapters/storage/kysely/contacts/search-blocks.js";
import { extractTrigrams, saltTrigrams } from "../../adapters/storage/postgres/trigram-index.js";
import {
  type Customer,
  EPOCH,
  generateCustomers,
  hasPass,
  listTagSlugs,
  ORGANIZATION,
  passId,
  TEMPLATE,
} from "../customers.js";
import { foldFields } from "../our-file.js";
import { openPool } from "./open-pool.js";

const USERS_AT_ONCE = 5_000;

/** Fills the library's tables with this many users, and also the tables that a developer would create for tags alone. */
export async function fillDatabase(url: string, users: number): Promise<void> {
  const storage = await postgresStorage(url);
  const pool = openPool(url);
  await pool.query(plainTables);
  await addTags(pool, users);
  let batch: Customer[] = [];
  for (const customer of generateCustomers(users)) {
    batch.push(customer);
    if (batch.length < USERS_AT_ONCE) continue;
    await addUsers(pool, batch);
    batch = [];
  }
  if (batch.length > 0) await addUsers(pool, batch);
  const last = [...generateCustomers(users)].at(-1);
  await pool.query(
    `update loyalty_organizations set next_user_ordinal = $2, newest_user_id = $3, newest_user_created_at = $4
      where organization_id = $1`,
    [ORGANIZATION, users, last?.id, last?.createdAt],
  );
  // Users of an incomplete block are indexed with its last user.
  await pool.query("delete from loyalty_user_pieces where organization_id = $1 and ordinal >= $2", [
    ORGANIZATION,
    findFirstUnindexed(users),
  ]);
  await pool.query(plainIndexes);
  await pool.query("vacuum analyze");
  // The filled data is on the disk, or the first timed commits would wait for it.
  await pool.query("checkpoint");
  await storage.transaction(ORGANIZATION, (tx) => tx.rebuildTagSets());
  await pool.end();
  await storage.close();
}

/** Of a tag, in both kinds of tables. */
export function tagIdOf(tag: number): number {
  return tag + 1;
}

const plainTables = `
  create table plain_users (id bigint primary key, email text, name text, tags integer[] not null);
  create table plain_user_tags (user_id bigint not null, tag integer not null)`;

const plainIndexes = `
  create extension if not exists intarray;
  alter table plain_user_tags add primary key (user_id, tag);
  create index on plain_user_tags (tag, user_id);
  create index on plain_users using gin (tags gin__int_ops)`;

async function addTags(pool: pg.Pool, users: number): Promise<void> {
  const slugs = listTagSlugs(users);
  await pool.query(
    `insert into loyalty_organizations (organization_id, next_user_ordinal, next_tag_ordinal, newest_event_position,
      newest_event_minute, changes_without_event, incomplete_position)
      values ($1, 0, $2, 0, 0, 0, 0)`,
    [ORGANIZATION, slugs.length + 1],
  );
  for (const [at, slug] of slugs.entries()) {
    await pool.query(
      `insert into loyalty_user_tags (organization_id, id, ordinal, slug, name, color, created_at, updated_at)
        values ($1, $2, $3, $4, $4, '#64748B', $5, $5)`,
      [ORGANIZATION, `utag_${at}`, tagIdOf(at), slug, EPOCH + at],
    );
  }
  await pool.query(
    `insert into loyalty_templates
        (organization_id, id, name, type, max_stamps, program_version, created_at, updated_at)
      values ($1, $2, 'Coffee', 'STAMP_CARD', 10, 1, $3, $3)`,
    [ORGANIZATION, TEMPLATE, EPOCH],
  );
}

async function addUsers(pool: pg.Pool, batch: readonly Customer[]): Promise<void> {
  const rows = batch.map(({ tags, ...customer }) => {
    const folds = foldFields(customer);
    const search = buildSearchText(folds);
    return {
      ...customer,
      folds,
      search,
      tags: tags.map(tagIdOf),
      pieces: saltTrigrams(ORGANIZATION, extractTrigrams(search)),
    };
  });
  const json = JSON.stringify(rows);
  const columns = `"ordinal" bigint, "id" text, "email" text, "name" text, "phone" text, "externalId" text,
    "createdAt" bigint, "folds" jsonb, "search" text, "tags" integer[], "pieces" integer[]`;
  const fromSql = `from jsonb_to_recordset($2::jsonb) as r (${columns})`;
  await pool.query(
    `insert into loyalty_users (organization_id, id, ordinal, email, name, phone, external_id, metadata, created_at,
        updated_at, email_fold, name_fold, external_id_fold, search_text)
      select $1, "id", "ordinal", "email", "name", "phone", "externalId", '{}', "createdAt", "createdAt",
        folds->>'email', folds->>'name', folds->>'externalId', "search" ${fromSql}`,
    [ORGANIZATION, json],
  );
  await pool.query(
    `insert into loyalty_user_pieces (organization_id, ordinal, pieces) select $1, "ordinal", "pieces" ${fromSql}`,
    [ORGANIZATION, json],
  );
  await pool.query(
    `insert into loyalty_user_tag_assignments (organization_id, user_ordinal, tag_ordinal, id, created_at)
      select $1, "ordinal", tag, 'uta_' || "ordinal" || '_' || tag, "createdAt" ${fromSql}, unnest("tags") as tag`,
    [ORGANIZATION, json],
  );
  await pool.query(
    `insert into plain_users select "ordinal", "email", "name", "tags" ${fromSql.replace("$2", "$1")}`,
    [json],
  );
  await pool.query(
    `insert into plain_user_tags select "ordinal", tag ${fromSql.replace("$2", "$1")}, unnest("tags") as tag`,
    [json],
  );
  await addPasses(pool, batch);
}

async function addPasses(pool: pg.Pool, batch: readonly Customer[]): Promise<void> {
  const rows = batch
    .filter(({ ordinal }) => hasPass(ordinal))
    .map(({ ordinal, createdAt }) => ({ ordinal, createdAt, id: passId(ordinal) }));
  await pool.query(
    `insert into loyalty_wallet_passes (organization_id, id, user_ordinal, template_id, code, is_preview_pass, max_stamps,
        current_stamps, times_completed, rewards_available, total_stamps_collected, visits, entries, created_at, updated_at)
      select $1, "id", "ordinal", $3, 'code-' || "ordinal", 0, 10, 0, 0, 0, 0, '[]', 0, "createdAt", "createdAt"
      from jsonb_to_recordset($2::jsonb) as r ("ordinal" bigint, "createdAt" bigint, "id" text)`,
    [ORGANIZATION, JSON.stringify(rows), TEMPLATE],
  );
}
