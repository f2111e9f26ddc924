import {
  type Compilable,
  type DeleteResult,
  type Kysely,
  LimitNode,
  type OperationNodeSource,
  type SelectQueryBuilder,
  ValueNode,
} from "kysely";
import { type Prepared, prepare, type Slot } from "../session/session.js";
import type { SqlDialect } from "./dialect.js";
import type { AnyTables, Tables } from "./tables.js";

type Selection<Database, Table extends keyof Database> = SelectQueryBuilder<Database, Table, object>;

/**
 * Prepares a statement that deletes only the rows selected by an ordered and limited query. The statement uses a subquery because
 * Postgres doesn't support `limit` in `delete`.
 * @param key the column that identifies a row within its organization.
 */
export function prepareLimitedDelete<
  Table extends keyof Tables & string,
  Values extends { readonly organizationId: string },
>(
  dialect: SqlDialect,
  table: Table,
  key: keyof Tables[Table] & string,
  selectRows: (rows: Selection<Tables, Table>, slot: Slot<Values>) => Selection<Tables, Table>,
): Prepared<Values, DeleteResult>;
export function prepareLimitedDelete(
  dialect: SqlDialect,
  table: string,
  key: string,
  selectRows: (
    rows: Selection<AnyTables, string>,
    slot: Slot<{ organizationId: string }>,
  ) => Selection<AnyTables, string>,
): Prepared<{ organizationId: string }, DeleteResult> {
  const db: Kysely<AnyTables> = dialect.db.withTables<AnyTables>();
  return prepare((slot: Slot<{ organizationId: string }>): Compilable<DeleteResult> => {
    const selectKeys = db.selectFrom(table).select(key).where("organization_id", "=", slot("organizationId"));
    return db
      .deleteFrom(table)
      .where("organization_id", "=", slot("organizationId"))
      .where(key, "in", selectRows(selectKeys, slot));
  });
}

/** Builds a `limit` clause for raw SQL, in the database's own syntax. */
export function limitRows(rows: number): OperationNodeSource {
  return { toOperationNode: () => LimitNode.create(ValueNode.create(rows)) };
}
