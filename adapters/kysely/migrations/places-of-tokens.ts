import type { CompiledQuery } from "kysely";
import type { SqlDialect } from "../sql/dialect.js";

/** From where API tokens may be used, and which of them made which tokens and apps. */
export function placesOfTokens({ db, columns }: SqlDialect): CompiledQuery<unknown>[] {
  return [
    db.schema.alterTable("loyalty_api_tokens").addColumn("allowed_addresses", columns.text),
    db.schema.alterTable("loyalty_api_tokens").addColumn("made_by", columns.text),
    db.schema.alterTable("loyalty_apps").addColumn("made_by", columns.text),
  ].map((statement) => statement.compile());
}
