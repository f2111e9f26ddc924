import { type CompiledQuery, sql } from "kysely";
import type { SqlDialect } from "../sql/dialect.js";
import { tableBuilder } from "./table-builder.js";

/**
 * Version 21: marks, among them sessions that were ended early. These were among the answers for idempotency keys, as the only
 * ones that were empty and told of no user.
 */
export function marks(dialect: SqlDialect): CompiledQuery<unknown>[] {
  const { table, index, required } = tableBuilder(dialect);
  const { text, integer } = required;
  return [
    table("loyalty_marks", ["name"], dialect.tableEnd.keyed, { name: text, until: integer }).compile(),
    index("loyalty_marks_until", "loyalty_marks", ["until"]).compile(),
    sql`insert into loyalty_marks (organization_id, name, until)
        select organization_id, key_hash, created_at + 86400000 from loyalty_answers
        where sealed = '' and user_id is null`.compile(dialect.db),
    sql`delete from loyalty_answers where sealed = '' and user_id is null`.compile(dialect.db),
  ];
}
