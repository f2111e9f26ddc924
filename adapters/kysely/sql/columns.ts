import type { RawBuilder } from "kysely";
import type { Column, Columns, TableRecord } from "../../../src/storage/record.js";

/** A name in camelCase as SQL has it, in snake_case. */
export type SqlName<Name, Done extends string = ""> = string extends Name
  ? string
  : Name extends `${infer First}${infer Rest}`
    ? SqlName<Rest, `${Done}${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}`>
    : Done;

/** A value as a database keeps it: lists are JSON there, booleans 0 or 1. */
type SqlValue<Each> =
  Each extends Column<infer Value, infer Kind>
    ? Kind extends "boolean"
      ? number
      : Kind extends "list"
        ? string | Extract<Value, null>
        : Value
    : never;

/** A row of a table without its organization, with the column names of the storage port. */
export type SqlRow<Own extends Columns> = { readonly [Name in keyof Own]: SqlValue<Own[Name]> };

/** A table for Kysely. */
export type SqlTable<Own> = { readonly organization_id: string } & {
  readonly [Name in keyof Own as SqlName<Name>]: SqlValue<Own[Name]>;
};

export type SqlTableName<Table extends TableRecord> = `loyalty_${SqlName<Table["name"]>}`;

/** A column for a `select`, which gives it the name that the storage port has for it. */
export type SelectedColumn<Name, Prefix extends string = ""> =
  Name extends SqlName<Name> ? `${Prefix}${SqlName<Name>}` : `${Prefix}${SqlName<Name>} as ${Name & string}`;

export function sqlName<const Name extends string>(name: Name): SqlName<Name> {
  // The type describes the same replacement.
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) as SqlName<Name>;
}

/** The columns of a record for a `select`, by the names that the storage port has for them. */
export function listColumns<const Own extends Columns, const Alias extends string>(
  table: { readonly record: { readonly columns: Own } },
  alias: Alias,
): readonly SelectedColumn<keyof Own, `${Alias}.`>[];
export function listColumns(
  { record }: { readonly record: { readonly columns: Columns } },
  alias: string,
): readonly `${string}.${string}`[] {
  return Object.keys(record.columns).map((name) => `${alias}.${selectedColumn(name)}` as const);
}

/** The slots of the columns by their names in the database, to be written. */
export function createSlots<const Own extends Columns>(
  columns: Own,
  slot: (name: keyof Own) => RawBuilder<unknown>,
): { readonly [Name in keyof Own as SqlName<Name>]: RawBuilder<SqlValue<Own[Name]>> };
export function createSlots(columns: Columns, slot: (name: string) => RawBuilder<unknown>) {
  return Object.fromEntries(Object.keys(columns).map((name) => [sqlName(name), slot(name)]));
}

export function selectedColumn(name: string): string {
  const column = sqlName(name);
  return column === name ? column : `${column} as ${name}`;
}

export function sqlTableName({ name }: { readonly name: string }): string {
  return `loyalty_${sqlName(name)}`;
}

/** Returns whether the database keeps the values as integers. */
export function isInteger(column: Column | undefined): boolean {
  return column?.kind === "integer" || column?.kind === "time" || column?.kind === "boolean";
}
