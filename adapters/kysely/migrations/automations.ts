import { type CompiledQuery, type CreateTableBuilder, sql } from "kysely";
import { isDueRun, isTriedRun, isWaitingRun } from "../sql/automation-run-filters.js";
import type { SqlDialect } from "../sql/dialect.js";
import { tables } from "../sql/tables.js";
import { addedColumns, tableBuilder } from "./table-builder.js";

/** Automations, their runs, and the deliveries that runs have sent. */
export function automationTables(dialect: SqlDialect): CompiledQuery<unknown>[] {
  const { db, tableEnd } = dialect;
  const { table, index, required, optional } = tableBuilder(dialect);
  const { text, integer } = required;
  const content = { if: optional.text, after: integer, do: text, per: text };
  const runs = "loyalty_automation_runs";
  const ofAutomation = (built: CreateTableBuilder<string, string>, name: string) =>
    built.addForeignKeyConstraint(
      `${name}_automation`,
      ["organization_id", "automation_id"],
      "loyalty_automations",
      ["organization_id", "id"],
      (key) => key.onDelete("cascade"),
    );
  const ofUser = (built: CreateTableBuilder<string, string>, name: string) =>
    built.addForeignKeyConstraint(
      `${name}_user`,
      ["organization_id", "user_id"],
      "loyalty_users",
      ["organization_id", "id"],
      (key) => key.onDelete("cascade"),
    );
  return [
    table("loyalty_automations", ["id"], tableEnd.plain, {
      id: text,
      name: text,
      is_enabled: integer,
      version: integer,
      on: text,
      ...content,
      start_position: integer,
      maker_id: optional.text,
      date_day: optional.text,
      date_cursor: integer,
      created_at: integer,
      updated_at: integer,
    }),

    ofAutomation(
      table("loyalty_automation_versions", ["automation_id", "version"], tableEnd.plain, {
        automation_id: text,
        version: integer,
        ...content,
        ended_at: integer,
      }),
      "loyalty_automation_versions",
    ),

    ofUser(
      table(runs, ["id"], tableEnd.plain, {
        id: text,
        automation_id: text,
        version: integer,
        user_id: text,
        occasion: text,
        status: text,
        reason: optional.text,
        action_index: optional.integer,
        due_at: integer,
        attempts: integer,
        next_attempt_at: optional.integer,
        created_at: integer,
        updated_at: integer,
      }),
      runs,
    ),
    index(`${runs}_occasion`, runs, ["automation_id", "user_id", "occasion"]).unique(),
    index(`${runs}_automation`, runs, ["automation_id", "created_at", "id"]),
    index(`${runs}_user`, runs, ["user_id", "created_at", "id"]),
    index(`${runs}_age`, runs, ["created_at", "id"]),
    index(`${runs}_due`, runs, ["automation_id", "next_attempt_at", "id"]).where(
      isDueRun(sql.ref("next_attempt_at")),
    ),
    // Those that wait are counted before others are made.
    index(`${runs}_waiting`, runs, ["automation_id"]).where(isWaitingRun(sql.ref("status"))),
    index(`${runs}_tried`, runs, ["user_id", "updated_at"]).where(isTriedRun(sql.ref("status"))),

    ofUser(
      ofAutomation(
        table("loyalty_automation_uses", ["automation_id", "user_id"], tableEnd.keyed, {
          automation_id: text,
          user_id: text,
          done_at: integer,
        }),
        "loyalty_automation_uses",
      ),
      "loyalty_automation_uses",
    ),
    index("loyalty_automation_uses_user", "loyalty_automation_uses", ["user_id"]),

    table("loyalty_automation_queues", [], tableEnd.plain, {
      position: integer,
      created_at: integer,
      due_at: optional.integer,
    }),
    // Workers look for work in all organizations.
    db.schema
      .createIndex("loyalty_automation_queues_due_at")
      .on("loyalty_automation_queues")
      .column("due_at"),

    ofAutomation(
      table("loyalty_automation_jobs", ["lane", "automation_id"], tableEnd.keyed, {
        lane: text,
        automation_id: text,
        revision: integer,
        attempts: integer,
        next_attempt_at: integer,
        lease: optional.text,
        created_at: integer,
      }),
      "loyalty_automation_jobs",
    ),
    index("loyalty_automation_jobs_of_automation", "loyalty_automation_jobs", ["automation_id"]),
    index("loyalty_automation_jobs_due", "loyalty_automation_jobs", [
      "lane",
      "next_attempt_at",
      "automation_id",
    ]),
    // The first of all lanes stands in the row of the queue.
    index("loyalty_automation_jobs_first", "loyalty_automation_jobs", ["next_attempt_at"]),
  ]
    .map((statement) => statement.compile())
    .concat(addedColumns(dialect, tables.messageDeliveries, "automationRunId", "actionIndex"));
}
