import type { CompiledQuery } from "kysely";
import type { SqlDialect } from "../sql/dialect.js";
import { tableBuilder } from "./table-builder.js";

/** Version 7: designs of templates, their pictures, and what wallets hold. */
export function walletTables(dialect: SqlDialect): CompiledQuery<unknown>[] {
  const { db, columns, tableEnd } = dialect;
  const { table, index, required, optional } = tableBuilder(dialect);
  const { text, integer, bytes } = required;
  return [
    db.schema.alterTable("loyalty_templates").addColumn("design", columns.text),

    table("loyalty_pictures", ["hash"], tableEnd.plain, {
      hash: text,
      type: text,
      width: integer,
      height: integer,
      bytes,
      created_at: integer,
    }),
    // Pictures are served to whoever knows their hash.
    db.schema.createIndex("loyalty_pictures_hash").on("loyalty_pictures").column("hash"),

    table("loyalty_wallet_queues", [], tableEnd.plain, {
      position: integer,
      revision: integer,
      sweeps: text,
      due_at: optional.integer,
    }),
    // Workers look for work in all organizations.
    db.schema.createIndex("loyalty_wallet_queues_due_at").on("loyalty_wallet_queues").column("due_at"),

    table("loyalty_wallet_cards", ["pass_id"], tableEnd.plain, {
      pass_id: text,
      template_id: text,
      authentication_token: text,
      link_token: text,
      revision: integer,
      changed_at: integer,
      at_google_since: optional.integer,
      revoked_at: optional.integer,
      created_at: integer,
    }),
    index("loyalty_wallet_cards_template", "loyalty_wallet_cards", ["template_id", "pass_id"]),
    // Wallets know a pass by its id alone, and devices by theirs.
    db.schema.createIndex("loyalty_wallet_cards_pass").on("loyalty_wallet_cards").column("pass_id"),

    table("loyalty_wallet_devices", ["pass_id", "platform", "device_id"], tableEnd.keyed, {
      pass_id: text,
      platform: text,
      device_id: text,
      push_token: optional.text,
      state: text,
      told_revision: integer,
      created_at: integer,
      updated_at: integer,
    }).addForeignKeyConstraint(
      "loyalty_wallet_devices_card",
      ["organization_id", "pass_id"],
      "loyalty_wallet_cards",
      ["organization_id", "pass_id"],
      (key) => key.onDelete("cascade"),
    ),
    db.schema
      .createIndex("loyalty_wallet_devices_device")
      .on("loyalty_wallet_devices")
      .columns(["device_id", "platform"]),
    db.schema
      .createIndex("loyalty_wallet_devices_token")
      .on("loyalty_wallet_devices")
      .columns(["push_token", "platform"]),

    table("loyalty_wallet_deliveries", ["platform", "pass_id"], tableEnd.keyed, {
      platform: text,
      pass_id: text,
      revision: integer,
      attempts: integer,
      next_attempt_at: integer,
      lease: optional.text,
      created_at: integer,
    }).addForeignKeyConstraint(
      "loyalty_wallet_deliveries_card",
      ["organization_id", "pass_id"],
      "loyalty_wallet_cards",
      ["organization_id", "pass_id"],
      (key) => key.onDelete("cascade"),
    ),
    index("loyalty_wallet_deliveries_pass", "loyalty_wallet_deliveries", ["pass_id"]),
    index("loyalty_wallet_deliveries_due", "loyalty_wallet_deliveries", [
      "platform",
      "next_attempt_at",
      "pass_id",
    ]),
  ].map((statement) => statement.compile());
}
