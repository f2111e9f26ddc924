import { type CompiledQuery, sql } from "kysely";
import type { SqlDialect } from "../sql/dialect.js";
import { isMessageThatCounts, isOfMessage, isPendingDelivery } from "../sql/message-delivery-filters.js";
import { tableBuilder } from "./table-builder.js";

/** The numbers of a day that come with this version. */
const counts = {
  emailsAccepted: "emails_accepted",
  emailsFailed: "emails_failed",
  walletMessages: "wallet_messages",
  unsubscribed: "unsubscribed",
};

/** Version 25: messages of shops, with those they go to, and the cards that show them. */
export function shopMessages(dialect: SqlDialect): CompiledQuery<unknown>[] {
  const { db, columns, tableEnd } = dialect;
  const { table, index, required, optional } = tableBuilder(dialect);
  const { text, integer, bytes } = required;
  const deliveries = "loyalty_message_deliveries";
  const cards = "loyalty_wallet_cards";
  const ofMessage = isOfMessage(sql.ref("kind"));
  const more = Object.keys(counts)
    .map((name) => `,"${name}":0`)
    .join("");
  return [
    table("loyalty_messages", ["id"], tableEnd.plain, {
      id: text,
      name: text,
      status: text,
      audience: text,
      template_id: optional.text,
      channels: text,
      order: text,
      texts: text,
      link: optional.text,
      send_at: optional.integer,
      expires_at: optional.integer,
      show_until: optional.integer,
      respects_cap: integer,
      started_at: optional.integer,
      completed_at: optional.integer,
      ends_at: optional.integer,
      shown_until: optional.integer,
      people: integer,
      recipients: integer,
      pending: integer,
      sending: integer,
      accepted: integer,
      failed: integer,
      skipped: text,
      uncertain: integer,
      cursor: integer,
      is_settled: integer,
      created_at: integer,
      updated_at: integer,
    }),
    index("loyalty_messages_age", "loyalty_messages", ["created_at", "id"]),
    index("loyalty_messages_status", "loyalty_messages", ["status", "created_at", "id"]),

    table("loyalty_message_audiences", ["message_id", "chunk"], tableEnd.plain, {
      message_id: text,
      chunk: integer,
      ordinals: bytes,
    }).addForeignKeyConstraint(
      "loyalty_message_audiences_message",
      ["organization_id", "message_id"],
      "loyalty_messages",
      ["organization_id", "id"],
      (key) => key.onDelete("cascade"),
    ),

    table("loyalty_message_queues", [], tableEnd.plain, {
      test_times: text,
      created_at: integer,
      due_at: optional.integer,
    }),
    // Workers look for work in all organizations.
    db.schema.createIndex("loyalty_message_queues_due_at").on("loyalty_message_queues").column("due_at"),

    table("loyalty_message_jobs", ["lane", "message_id"], tableEnd.keyed, {
      lane: text,
      message_id: text,
      revision: integer,
      attempts: integer,
      next_attempt_at: integer,
      lease: optional.text,
      created_at: integer,
    }).addForeignKeyConstraint(
      "loyalty_message_jobs_message",
      ["organization_id", "message_id"],
      "loyalty_messages",
      ["organization_id", "id"],
      (key) => key.onDelete("cascade"),
    ),
    index("loyalty_message_jobs_of_message", "loyalty_message_jobs", ["message_id"]),
    index("loyalty_message_jobs_due", "loyalty_message_jobs", ["lane", "next_attempt_at", "message_id"]),
    // The first of all lanes stands in the row of the queue.
    index("loyalty_message_jobs_first", "loyalty_message_jobs", ["next_attempt_at"]),

    // A mail about a pass is in none of these.
    index(`${deliveries}_message_user`, deliveries, ["message_id", "user_id", "channel"])
      .unique()
      .where(ofMessage),
    index(`${deliveries}_message_age`, deliveries, ["message_id", "created_at", "id"]).where(ofMessage),
    index(`${deliveries}_message_status`, deliveries, ["message_id", "status", "created_at", "id"]).where(
      ofMessage,
    ),
    index(`${deliveries}_recent`, deliveries, ["user_id", "updated_at"]).where(
      isMessageThatCounts(sql.ref("kind"), sql.ref("status"), sql.ref("is_uncertain")),
    ),
    // Mails are counted without the deliveries to wallets.
    db.schema.dropIndex(`${deliveries}_pending`),
    index(`${deliveries}_pending`, deliveries, ["channel", "status"]).where(
      isPendingDelivery(sql.ref("status")),
    ),

    ...["message_id", "message_delivery_id"].map((name) =>
      db.schema.alterTable(cards).addColumn(name, columns.text),
    ),
    db.schema.alterTable(cards).addColumn("message_until", columns.integer),
    ...["message_revision", "is_message_announced"].map((name) =>
      db.schema.alterTable(cards).addColumn(name, columns.integer, (column) => column.notNull().defaultTo(0)),
    ),
    db.schema
      .alterTable(cards)
      .addColumn("notice_times", columns.text, (column) => column.notNull().defaultTo("[]")),
    index(`${cards}_message`, cards, ["message_id", "pass_id"]).where(sql.ref("message_id"), "is not", null),

    ...Object.values(counts).map((name) =>
      db.schema
        .alterTable("loyalty_day_counts")
        .addColumn(name, columns.integer, (column) => column.notNull().defaultTo(0)),
    ),
  ]
    .map((statement) => statement.compile())
    .concat(
      sql`update loyalty_organizations set open_day = substr(open_day, 1, length(open_day) - 1) || ${sql.lit(`${more}}`)}
        where open_day is not null`.compile(db),
    );
}
