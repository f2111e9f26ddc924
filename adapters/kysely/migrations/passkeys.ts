import type { CompiledQuery } from "kysely";
import type { SqlDialect } from "../sql/dialect.js";

/** Version 39: passkeys of people who sign in. */
export function passkeys({ db, columns }: SqlDialect): CompiledQuery<unknown>[] {
  return [
    db.schema
      .alterTable("loyalty_people")
      .addColumn("passkeys", columns.text, (column) => column.notNull().defaultTo("[]"))
      .compile(),
    // A passkey says whose it is by an id, and names no organization.
    db.schema
      .createIndex("loyalty_people_of_id")
      .on("loyalty_people")
      .columns(["id", "organization_id"])
      .compile(),
  ];
}
