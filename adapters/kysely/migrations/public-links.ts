import type { CompiledQuery } from "kysely";
import type { SqlDialect } from "../sql/dialect.js";

/** The card page knows a pass by its code alone, and the join page a template by its id. */
export function publicLinks({ db }: SqlDialect): CompiledQuery<unknown>[] {
  return [
    db.schema.createIndex("loyalty_wallet_passes_public").on("loyalty_wallet_passes").column("code"),
    db.schema.createIndex("loyalty_templates_public").on("loyalty_templates").column("id"),
  ].map((statement) => statement.compile());
}
