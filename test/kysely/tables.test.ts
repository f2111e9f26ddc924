import Database from "better-sqlite3";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { describe, expect, it } from "vitest";
import { toSqlName, toSqlTableName } from "../../adapters/storage/kysely/sql/columns.js";
import { tables } from "../../adapters/storage/kysely/sql/tables.js";
import type { Column } from "../../src/storage/record.js";
import { createTemporaryFile } from "../sqlite/temporary-file.js";

/**
 * Columns that only SQLite has: the row number of an event, and the mark of users who aren't in the search
 * index yet.
 */
const ofSqlite = ["loyalty_events.place", "loyalty_users.late"];

/** A column of a table as SQLite describes it. */
interface Info {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
}

describe("the tables of an empty database", () => {
  it("have exactly the columns of their records, with the right types", async () => {
    const file = createTemporaryFile();
    await (await sqliteStorage(file)).close();
    const database = new Database(file, { readonly: true });
    for (const { record, beside } of Object.values(tables)) {
      const table = toSqlTableName(record);
      const columns = Object.entries<Column>({ ...record.columns, ...beside }).map(([name, column]) => {
        return `${toSqlName(name)} ${getColumnType(column)}${column.traits.isNullable ? "" : " not null"}`;
      });
      const actualTables = database
        .prepare<[string], Info>("select * from pragma_table_info(?) where name <> 'organization_id'")
        .all(table)
        .filter(({ name }) => !ofSqlite.includes(`${table}.${name}`))
        .map(({ name, type, notnull }) => `${name} ${type.toLowerCase()}${notnull === 1 ? " not null" : ""}`);
      expect([table, ...columns.sort()]).toEqual([table, ...actualTables.sort()]);
    }
    database.close();
  });
});

function getColumnType({ kind }: Column): string {
  if (kind === "bytes") return "blob";
  return kind === "integer" || kind === "time" || kind === "boolean" ? "integer" : "text";
}
