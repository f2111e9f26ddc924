import { type CompiledQuery, sql } from "kysely";
import type { SqlDialect } from "../sql/dialect.js";
import { tableBuilder } from "./table-builder.js";

/** Adds the actors of events, ledger entries and the audit trail. */
export function actors(dialect: SqlDialect): CompiledQuery<unknown>[] {
  const { db, columns, tableEnd } = dialect;
  const { table, index, required, optional } = tableBuilder(dialect);
  const added = ["loyalty_events", "loyalty_stamp_entries"].flatMap((name) =>
    ["actor", "subject"].map((column) => db.schema.alterTable(name).addColumn(column, columns.text)),
  );
  const ofSubjects = (name: string, key: readonly string[]) =>
    index(`${name}_subject`, name, ["subject", ...key]).where(sql.ref("subject"), "is not", null);
  return [
    ...added,
    ofSubjects("loyalty_events", ["position"]),
    ofSubjects("loyalty_stamp_entries", ["pass_id"]),
    table("loyalty_audit", ["sequence"], tableEnd.keyed, {
      sequence: required.integer,
      act: required.text,
      target: optional.text,
      details: required.text,
      actor: optional.text,
      subject: optional.text,
      salt: optional.text,
      subject_seal: optional.text,
      previous_hash: required.text,
      hash: required.text,
      created_at: required.integer,
    }),
    ofSubjects("loyalty_audit", ["sequence"]),
  ].map((statement) => statement.compile());
}
