import type { CompiledQuery } from "kysely";
import type { SqlDialect } from "../sql/dialect.js";
import { tableBuilder } from "./table-builder.js";

/** Version 3: the answers to calls with idempotency keys, and OAuth 2.0 apps with what they were granted. */
export function answerAndAppTables(dialect: SqlDialect): CompiledQuery<unknown>[] {
  const { db, tableEnd } = dialect;
  const { table, index, required, optional } = tableBuilder(dialect);
  const { text, integer } = required;
  return [
    table("loyalty_answers", ["key_hash"], tableEnd.plain, {
      key_hash: text,
      fingerprint: text,
      sealed: text,
      created_at: integer,
    }),
    index("loyalty_answers_created_at", "loyalty_answers", ["created_at"]),

    table("loyalty_apps", ["id"], tableEnd.plain, {
      id: text,
      name: text,
      secret_hash: text,
      redirect_uris: text,
      scopes: text,
      created_at: integer,
      updated_at: integer,
    }),
    // A client that shows its id is not known yet, so this look-up has no organization, as that of a token has none.
    db.schema.createIndex("loyalty_apps_id").on("loyalty_apps").column("id"),

    table("loyalty_grants", ["id"], tableEnd.plain, {
      id: text,
      app_id: text,
      subject: text,
      scopes: text,
      created_at: integer,
    }),
    table("loyalty_grant_tokens", ["id"], tableEnd.plain, {
      id: text,
      grant_id: text,
      kind: text,
      hash: text,
      scopes: text,
      details: text,
      created_at: integer,
      expires_at: integer,
      used_at: optional.integer,
    }).addForeignKeyConstraint(
      "loyalty_grant_tokens_grant",
      ["organization_id", "grant_id"],
      "loyalty_grants",
      ["organization_id", "id"],
      (key) => key.onDelete("cascade"),
    ),
    index("loyalty_grant_tokens_of_grant", "loyalty_grant_tokens", ["grant_id"]),
    index("loyalty_grant_tokens_expires_at", "loyalty_grant_tokens", ["expires_at"]),
    db.schema.createIndex("loyalty_grant_tokens_hash").on("loyalty_grant_tokens").column("hash"),
  ].map((statement) => statement.compile());
}
