import type { CompiledQuery } from "kysely";
import type { SqlDialect } from "../sql/dialect.js";
import { tableBuilder } from "./table-builder.js";

/** Grants are counted, and end, by who has given them. */
export function grantsOfSubjects(dialect: SqlDialect): CompiledQuery<unknown>[] {
  return [tableBuilder(dialect).index("loyalty_grants_subject", "loyalty_grants", ["subject"]).compile()];
}
