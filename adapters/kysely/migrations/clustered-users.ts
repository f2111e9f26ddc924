import { type CompiledQuery, sql } from "kysely";
import { BETWEEN_FOLDS } from "../contacts/search-text.js";
import type { SqlDialect } from "../sql/dialect.js";

/**
 * Version 2: the rows of users lie in the order of their ordinals, one organization after the other, so that reading
 * through one of them costs the same however many others there are; every order of contacts has an index; and
 * there is the outbox.
 */
export function clusteredUsers(dialect: SqlDialect): CompiledQuery<unknown>[] {
  const { db, columns, tableEnd, clustersByKey } = dialect;
  const { text, integer } = columns;
  const index = (name: string, column: string) =>
    db.schema.createIndex(name).on("loyalty_users").columns(["organization_id", column, "id"]).compile();

  return [
    ...(clustersByKey ? usersAnew(dialect) : usersAltered(dialect)),
    index("loyalty_users_updated_at", "updated_at"),
    index("loyalty_users_name_fold", "name_fold"),
    index("loyalty_users_external_id_fold", "external_id_fold"),

    db.schema
      .alterTable("loyalty_organizations")
      .addColumn("newest_event_position", integer, (column) => column.notNull().defaultTo(sql.lit(0)))
      .compile(),
    db.schema
      .createTable("loyalty_events")
      .addColumn("organization_id", text, (column) => column.notNull())
      .addColumn("position", integer, (column) => column.notNull())
      .addColumn("id", text, (column) => column.notNull())
      .addColumn("type", text, (column) => column.notNull())
      .addColumn("created_at", integer, (column) => column.notNull())
      .addColumn("data", text, (column) => column.notNull())
      .addPrimaryKeyConstraint("loyalty_events_key", ["organization_id", "position"])
      .modifyEnd(tableEnd.keyed)
      .compile(),
  ];
}

/** The table of users with another column: where rows have no order, a primary key is as good as the other. */
function usersAltered({ db, columns }: SqlDialect): CompiledQuery<unknown>[] {
  const users = db.schema.alterTable("loyalty_users");
  return [
    db.schema.dropIndex("loyalty_users_updated_at").compile(),
    users.addColumn("search_text", columns.text).compile(),
    sql`update loyalty_users set search_text = ${searchText}`.compile(db),
    users.alterColumn("search_text", (column) => column.setNotNull()).compile(),
    users.dropColumn("phone_fold").compile(),
  ];
}

/** Builds the text of {@link searchTextOf} from a row of version 1. */
const searchText = sql.join(
  [
    sql.ref("email_fold"),
    ...["name_fold", "phone_fold", "external_id_fold"].map(
      (name) => sql`coalesce(${sql.lit(BETWEEN_FOLDS)} || ${sql.ref(name)}, '')`,
    ),
  ],
  sql` || `,
);

/** The table of users with another primary key. */
function usersAnew({ db, columns, tableEnd }: SqlDialect): CompiledQuery<unknown>[] {
  const { text, integer } = columns;
  const copied = [
    "organization_id",
    "id",
    "ordinal",
    "email",
    "name",
    "phone",
    "external_id",
    "metadata",
    "created_at",
    "updated_at",
    "email_fold",
    "name_fold",
    "external_id_fold",
  ] as const;
  const columnsOf = (names: readonly string[]) => sql.join(names.map((name) => sql.ref(name)));

  return [
    db.schema
      .createTable("loyalty_users_by_ordinal")
      .addColumn("organization_id", text, (column) => column.notNull())
      .addColumn("ordinal", integer, (column) => column.notNull())
      // A search that goes through all users reads it; the sooner it comes in a row, the less of the row is read.
      .addColumn("search_text", text, (column) => column.notNull())
      .addColumn("email_fold", text, (column) => column.notNull())
      .addColumn("name_fold", text)
      .addColumn("external_id_fold", text)
      .addColumn("id", text, (column) => column.notNull())
      .addColumn("email", text, (column) => column.notNull())
      .addColumn("name", text)
      .addColumn("phone", text)
      .addColumn("external_id", text)
      .addColumn("metadata", text, (column) => column.notNull())
      .addColumn("created_at", integer, (column) => column.notNull())
      .addColumn("updated_at", integer, (column) => column.notNull())
      .addPrimaryKeyConstraint("loyalty_users_key", ["organization_id", "ordinal"])
      .addUniqueConstraint("loyalty_users_id", ["organization_id", "id"])
      .addUniqueConstraint("loyalty_users_email_fold", ["organization_id", "email_fold"])
      .addUniqueConstraint("loyalty_users_external_id", ["organization_id", "external_id"])
      .modifyEnd(tableEnd.keyed)
      .compile(),
    sql`insert into loyalty_users_by_ordinal (${columnsOf(copied)}, search_text)
      select ${columnsOf(copied)}, ${searchText} from loyalty_users
      order by organization_id, ordinal`.compile(db),
    db.schema.dropTable("loyalty_users").compile(),
    db.schema.alterTable("loyalty_users_by_ordinal").renameTo("loyalty_users").compile(),
  ];
}
