import { type CompiledQuery, sql } from "kysely";
import type { SqlDialect } from "../sql/dialect.js";
import { isPendingDelivery } from "../sql/message-delivery-filters.js";
import { tableBuilder } from "./table-builder.js";

/** Version 23: who wants messages, and mails on their way. */
export function messageTables(dialect: SqlDialect): CompiledQuery<unknown>[] {
  const { db, tableEnd } = dialect;
  const { table, index, required, optional } = tableBuilder(dialect);
  const { text, integer } = required;
  return [
    table("loyalty_subscriptions", ["user_id"], tableEnd.plain, {
      user_id: text,
      email_status: text,
      email_at: optional.integer,
      email_source: optional.text,
      email_text: optional.text,
      wallet_status: text,
      wallet_at: optional.integer,
      wallet_source: optional.text,
      wallet_text: optional.text,
      suppressed_reason: optional.text,
      suppressed_at: optional.integer,
      email_confirmed_at: optional.integer,
      address_since: optional.integer,
      language: optional.text,
    }).addForeignKeyConstraint(
      "loyalty_subscriptions_user",
      ["organization_id", "user_id"],
      "loyalty_users",
      ["organization_id", "id"],
      (key) => key.onDelete("cascade"),
    ),

    table("loyalty_message_settings", [], tableEnd.plain, {
      sender_name: optional.text,
      reply_to: optional.text,
      footer: optional.text,
      quiet_from: optional.text,
      quiet_to: optional.text,
      cap_days: optional.integer,
      cap_messages: optional.integer,
      is_wallet_default: integer,
      updated_at: integer,
    }),

    table("loyalty_message_deliveries", ["id"], tableEnd.plain, {
      id: text,
      kind: text,
      user_id: text,
      pass_id: optional.text,
      message_id: optional.text,
      channel: text,
      platform: optional.text,
      language: optional.text,
      status: text,
      reason: optional.text,
      is_silent: integer,
      is_uncertain: integer,
      attempts: text,
      failures: integer,
      next_attempt_at: optional.integer,
      expires_at: integer,
      created_at: integer,
      updated_at: integer,
    }),
    index("loyalty_message_deliveries_user", "loyalty_message_deliveries", ["user_id", "created_at", "id"]),
    index("loyalty_message_deliveries_pass", "loyalty_message_deliveries", ["pass_id", "created_at", "id"]),
    index("loyalty_message_deliveries_age", "loyalty_message_deliveries", ["created_at", "id"]),
    // Those that have not ended are few, and counted before others are made.
    index("loyalty_message_deliveries_pending", "loyalty_message_deliveries", ["status"]).where(
      isPendingDelivery(sql.ref("status")),
    ),

    table("loyalty_mail_queues", [], tableEnd.plain, {
      token: text,
      link_key: text,
      due_at: optional.integer,
    }),
    // Workers look for work in all organizations.
    db.schema.createIndex("loyalty_mail_queues_due_at").on("loyalty_mail_queues").column("due_at"),
    // Who opens the link of a mail tells no organization.
    db.schema.createIndex("loyalty_mail_queues_token").on("loyalty_mail_queues").column("token"),

    table("loyalty_mail_jobs", ["lane", "delivery_id"], tableEnd.keyed, {
      lane: text,
      delivery_id: text,
      revision: integer,
      attempts: integer,
      next_attempt_at: integer,
      lease: optional.text,
      created_at: integer,
    }).addForeignKeyConstraint(
      "loyalty_mail_jobs_delivery",
      ["organization_id", "delivery_id"],
      "loyalty_message_deliveries",
      ["organization_id", "id"],
      (key) => key.onDelete("cascade"),
    ),
    index("loyalty_mail_jobs_of_delivery", "loyalty_mail_jobs", ["delivery_id"]),
    index("loyalty_mail_jobs_due", "loyalty_mail_jobs", ["lane", "next_attempt_at", "delivery_id"]),
    // The first of all lanes stands in the row of the queue.
    index("loyalty_mail_jobs_first", "loyalty_mail_jobs", ["next_attempt_at"]),
  ].map((statement) => statement.compile());
}
