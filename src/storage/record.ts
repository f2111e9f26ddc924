/*
 * A record defines a table in one place: its columns and their properties. Stored types, SQL tables and statements, copies, checks,
 * in-memory rows and the storage test suite's sample rows are all derived from it.
 */

/**
 * The type of a column's values. `json` is JSON text that is stored verbatim, `list` is an array, and `time` is a time in
 * milliseconds since the Unix epoch.
 */
export type ColumnKind = "text" | "integer" | "time" | "boolean" | "json" | "list" | "bytes";

/** A column in another table of the same organization that must contain the value. */
interface Reference {
  readonly table: string;
  readonly column: string;
}

interface ColumnTraits {
  readonly isNullable: boolean;
  /** What a secret is called in errors, or `null` if the column isn't a secret. */
  readonly secretName: string | null;
  readonly isFixed: boolean;
  /** The only allowed values, or `null` for any value. */
  readonly choices: readonly string[] | null;
  readonly reference: Reference | null;
}

const defaultTraits: ColumnTraits = {
  isNullable: false,
  secretName: null,
  isFixed: false,
  choices: null,
  reference: null,
};

export class Column<Value = unknown, Kind extends ColumnKind = ColumnKind> {
  /** Used only for type inference, and never set. */
  declare readonly value: Value;

  constructor(
    readonly kind: Kind,
    readonly traits: ColumnTraits = defaultTraits,
  ) {}

  nullable(): Column<Value | null, Kind> {
    return new Column(this.kind, { ...this.traits, isNullable: true });
  }

  /** Marks this column as a secret, which is stored encrypted if the service has a secret key. `name` names it in errors. */
  sealed(name: string): Column<Value, Kind> {
    return new Column(this.kind, { ...this.traits, secretName: name });
  }

  /** Marks this column as immutable, so that updates don't change it. Key columns never change, so they don't need this mark. */
  fixed(): Column<Value, Kind> {
    return new Column(this.kind, { ...this.traits, isFixed: true });
  }

  /** Makes this column a foreign key. Each of its values, except `null`, must exist in the given column of the given table. */
  refersTo(table: string, column: string): Column<Value, Kind> {
    return new Column(this.kind, { ...this.traits, reference: { table, column } });
  }
}

export const text = () => new Column<string, "text">("text");
export const integer = () => new Column<number, "integer">("integer");
export const time = () => new Column<number, "time">("time");
export const boolean = () => new Column<boolean, "boolean">("boolean");
export const json = () => new Column<string, "json">("json");
export const list = <Item = string>() => new Column<readonly Item[], "list">("list");
export const bytes = () => new Column<Uint8Array, "bytes">("bytes");
export const oneOf = <Choice extends string>(...choices: readonly Choice[]) =>
  new Column<Choice, "text">("text", { ...defaultTraits, choices });

export type Columns = Readonly<Record<string, Column>>;

/** A table definition. Each row belongs to one organization. */
export interface TableRecord<Own extends Columns = Columns, Key extends keyof Own = keyof Own> {
  /** The table's name in camelCase. */
  readonly name: string;
  /** The key columns. Their combined values are unique within an organization. */
  readonly key: readonly Key[];
  /** The column definitions, keyed by column name. */
  readonly columns: Own;
}

export type ValuesOf<Own extends Columns> = { readonly [Name in keyof Own]: Own[Name]["value"] };

/** The type of a table's rows, as storage methods accept and return them. */
export type RowOf<Table extends { readonly columns: Columns }> = ValuesOf<Table["columns"]>;

export function record<const Own extends Columns, Key extends keyof Own>(
  name: string,
  key: readonly Key[],
  columns: Own,
): TableRecord<Own, Key> {
  return { name, key, columns };
}

/** Returns a copy of the columns in which every column also allows `null`. */
export function optional<Own extends Columns>(
  columns: Own,
): { readonly [Name in keyof Own]: Column<Own[Name]["value"] | null, Own[Name]["kind"]> };
export function optional(columns: Columns): Columns {
  return Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, column.nullable()]));
}

/** Returns a copy of `before` with the values from `patch`. Key columns and fixed columns keep their old values. */
export function updated<Row extends object>(
  { key, columns }: TableRecord<Columns, string>,
  before: Row,
  patch: Row,
): Row {
  const changes = Object.entries(patch).filter(
    ([name]) => !key.includes(name) && columns[name]?.traits.isFixed === false,
  );
  return { ...before, ...Object.fromEntries(changes) };
}
