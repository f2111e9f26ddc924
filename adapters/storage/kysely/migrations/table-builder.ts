import type { CompiledQuery, CreateTableBuilder, RawBuilder, SqlBool } from "kysely";
import type { Column, Columns } from "../../../../src/storage/record.js";
import { isInteger, sqlName, sqlTableName } from "../sql/columns.js";
import type { SqlDialect } from "../sql/dialect.js";
import type { TableDefinition } from "../sql/tables.js";

/** An index on a table. The first column is the organization's ID, unless the index spans all organizations (`isOfAll`). */
export interface Index<Column extends string> {
  readonly on: readonly Column[];
  readonly isUnique?: true;
  readonly isOfAll?: true;
  /** A condition that limits which rows the index includes. Default: all rows. */
  readonly condition?: RawBuilder<SqlBool>;
}

/** The properties of a table that aren't defined by its record. */
export interface TableShape<Column extends string> {
  /** Whether the table has small rows that are always looked up by key. */
  readonly isKeyed?: true;
  /** Whether rows are stored in the order of their `place` column instead of by key. */
  readonly isPlaced?: boolean;
  /** Whether the table has a `late` column. See `unindexed-users.ts`. */
  readonly hasLate?: boolean;
  /** The columns whose references the database doesn't enforce. */
  readonly unchecked?: readonly Column[];
  /**
   * The columns whose references prevent the referenced row from being deleted. For all other references, deleting the referenced
   * row also deletes the rows that refer to it.
   */
  readonly restricting?: readonly Column[];
  readonly check?: RawBuilder<SqlBool>;
  /** The table's indexes, keyed by the suffix of the index name. */
  readonly indexes?: Readonly<Record<string, Index<Column | "organizationId" | "late">>>;
}

/** Builds the statements that create a record's table and the table's indexes. */
export function buildTable(
  dialect: SqlDialect,
  { record, beside }: TableDefinition<Columns, string, Columns>,
  shape: TableShape<string>,
): CompiledQuery<unknown>[] {
  const { db, columns, tableEnd } = dialect;
  const name = sqlTableName(record);
  const key = ["organization_id", ...record.key.map(sqlName)];
  // Frequently scanned columns come first, because the database reads a row only up to the column that it needs.
  const ordered: Columns = { ...picked(record.columns, record.key), ...beside, ...record.columns };

  let table: CreateTableBuilder<string, string> = db.schema.createTable(name);
  if (shape.isPlaced) table = table.addColumn("place", columns.integer, (column) => column.primaryKey());
  table = table.addColumn("organization_id", columns.text, (column) => column.notNull());
  for (const [own, column] of Object.entries(ordered)) {
    table = table.addColumn(sqlName(own), pickColumnType(dialect, column), (built) =>
      column.traits.isNullable ? built : built.notNull(),
    );
  }
  if (shape.hasLate) table = table.addColumn("late", columns.integer);
  if (!shape.isPlaced) table = table.addPrimaryKeyConstraint(`${name}_key`, key);
  for (const [own, { traits }] of Object.entries(ordered)) {
    if (traits.reference === null || shape.unchecked?.includes(own)) continue;
    table = table.addForeignKeyConstraint(
      `${name}_${sqlName(own)}`,
      ["organization_id", sqlName(own)],
      sqlTableName({ name: traits.reference.table }),
      ["organization_id", sqlName(traits.reference.column)],
      (built) => built.onDelete(shape.restricting?.includes(own) ? "restrict" : "cascade"),
    );
  }
  if (shape.check) table = table.addCheckConstraint(`${name}_check`, shape.check);

  const indexes = Object.entries(shape.indexes ?? {}).map(([end, { on, isUnique, isOfAll, condition }]) => {
    const indexed = [...(isOfAll ? [] : ["organization_id"]), ...on.map(sqlName)];
    const index = db.schema.createIndex(`${name}_${end}`).on(name).columns(indexed);
    const made = isUnique ? index.unique() : index;
    return condition ? made.where(condition) : made;
  });
  return [table.modifyEnd(shape.isKeyed ? tableEnd.keyed : tableEnd.plain), ...indexes].map((statement) =>
    statement.compile(),
  );
}

function pickColumnType({ columns }: SqlDialect, column: Column) {
  if (column.kind === "bytes") return columns.bytes;
  return isInteger(column) ? columns.integer : columns.text;
}

function picked(columns: Columns, names: readonly string[]): Columns {
  return Object.fromEntries(Object.entries(columns).filter(([name]) => names.includes(name)));
}
