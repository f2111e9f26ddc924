import type { RawBuilder } from "kysely";
import type { Column, Columns, TableRecord } from "../../../../src/storage/record.js";

/** Converts a camelCase name to the snake_case name used in SQL. */
export type SqlName<Name, Done extends string = ""> = string extends Name
  ? string
  : Name extends `${infer First}${infer Rest}`
    ? SqlName<Rest, `${Done}${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}`>
    : Done;

/** A value as stored in a database. Lists are stored as JSON, and booleans as 0 or 1. */
type SqlValue<Each> =
  Each extends Column<infer Value, infer Kind>
    ? Kind extends "boolean"
      ? number
      : Kind extends "list"
        ? string | Extract<Value, null>
        : Value
    : never;

/** A table row's stored values, with the storage port's column names and without the organization's ID. */
export type SqlRow<Own extends Columns> = { readonly [Name in keyof Own]: SqlValue<Own[Name]> };

/** A table's row type for Kysely, with SQL column names. */
export type SqlTable<Own> = { readonly organization_id: string } & {
  readonly [Name in keyof Own as SqlName<Name>]: SqlValue<Own[Name]>;
};

export type SqlTableName<Table extends TableRecord> = `loyalty_${SqlName<Table["name"]>}`;

/** A column in a `select`, aliased to its name in the storage port. */
export type SelectedColumn<Name, Prefix extends string = ""> =
  Name extends SqlName<Name> ? `${Prefix}${SqlName<Name>}` : `${Prefix}${SqlName<Name>} as ${Name & string}`;

export function toSqlName<const Name extends string>(name: Name): SqlName<Name> {
  // The type describes the same conversion.
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) as SqlName<Name>;
}

/** Returns a record's columns for a `select`, aliased to their names in the storage port. */
export function listColumns<const Own extends Columns, const Alias extends string>(
  table: { readonly record: { readonly columns: Own } },
  alias: Alias,
): readonly SelectedColumn<keyof Own, `${Alias}.`>[];
export function listColumns(
  { record }: { readonly record: { readonly columns: Columns } },
  alias: string,
): readonly `${string}.${string}`[] {
  return Object.keys(record.columns).map((name) => `${alias}.${toSelectedColumn(name)}` as const);
}

/** Returns a query placeholder for each column to write, keyed by the column's name in SQL. */
export function createSlots<const Own extends Columns>(
  columns: Own,
  slot: (name: keyof Own) => RawBuilder<unknown>,
): { readonly [Name in keyof Own as SqlName<Name>]: RawBuilder<SqlValue<Own[Name]>> };
export function createSlots(columns: Columns, slot: (name: string) => RawBuilder<unknown>) {
  return Object.fromEntries(Object.keys(columns).map((name) => [toSqlName(name), slot(name)]));
}

export function toSelectedColumn(name: string): string {
  const column = toSqlName(name);
  return column === name ? column : `${column} as ${name}`;
}

export function toSqlTableName({ name }: { readonly name: string }): string {
  return `loyalty_${toSqlName(name)}`;
}

/** Returns whether the database stores the column's values as integers. This includes times and booleans. */
export function isInteger(column: Column | undefined): boolean {
  return column?.kind === "integer" || column?.kind === "time" || column?.kind === "boolean";
}
