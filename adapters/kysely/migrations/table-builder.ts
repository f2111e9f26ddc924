import type { CompiledQuery, CreateTableBuilder, RawBuilder } from "kysely";
import type { Columns } from "../../../src/storage/record.js";
import { isInteger, sqlName, sqlTableName } from "../sql/columns.js";
import type { SqlDialect } from "../sql/dialect.js";

/** Builds tables and indexes whose keys begin with organization_id. */
export function tableBuilder({ db, columns }: SqlDialect) {
  const required = {
    text: { type: columns.text, required: true },
    integer: { type: columns.integer, required: true },
    bytes: { type: columns.bytes, required: true },
  };
  const optional = {
    text: { type: columns.text, required: false },
    integer: { type: columns.integer, required: false },
  };

  const table = (
    name: string,
    key: readonly string[],
    end: RawBuilder<unknown>,
    ofColumns: Readonly<Record<string, typeof required.text>>,
  ): CreateTableBuilder<string, string> => {
    let created: CreateTableBuilder<string, string> = db.schema.createTable(name);
    for (const [column, { type, required }] of Object.entries({
      organization_id: { type: columns.text, required: true },
      ...ofColumns,
    })) {
      created = created.addColumn(column, type, (built) => (required ? built.notNull() : built));
    }
    return created.addPrimaryKeyConstraint(`${name}_key`, ["organization_id", ...key]).modifyEnd(end);
  };

  const index = (name: string, on: string, indexed: readonly string[]) =>
    db.schema
      .createIndex(name)
      .on(on)
      .columns(["organization_id", ...indexed]);

  return { table, index, required, optional };
}

/**
 * Adds columns to the table of a record that has them by now, of their types there. What rows have in them that is not `null`
 * is for the same migration to say.
 */
export function addedColumns<Own extends Columns, Beside extends Columns>(
  { db, columns }: SqlDialect,
  {
    record,
    beside,
  }: { readonly record: { readonly name: string; readonly columns: Own }; readonly beside: Beside },
  ...names: readonly ((keyof Own | keyof Beside) & string)[]
): CompiledQuery<unknown>[] {
  return names.map((name) => {
    const column = record.columns[name] ?? beside[name];
    const type = isInteger(column)
      ? columns.integer
      : column?.kind === "bytes"
        ? columns.bytes
        : columns.text;
    return db.schema.alterTable(sqlTableName(record)).addColumn(sqlName(name), type).compile();
  });
}
