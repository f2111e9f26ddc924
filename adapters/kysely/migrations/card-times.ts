import type { CompiledQuery } from "kysely";
import type { SqlDialect } from "../sql/dialect.js";

/** A card knows what was told of its installation, what is held back of it, and whether phones were let go of. */
export function cardTimes({ db, columns }: SqlDialect): CompiledQuery<unknown>[] {
  return ["told_until", "installation_due_at", "let_go_at"].map((name) =>
    db.schema.alterTable("loyalty_wallet_cards").addColumn(name, columns.integer).compile(),
  );
}
