import { type Expression, sql } from "kysely";
import type { Step } from "../../../../src/base/concurrency/step.js";
import type { ReadSession } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";

/** A character that can't occur in JSON, because it isn't whitespace and strings must escape it (RFC 8259, section 7). */
const SEPARATOR = "\u001f";

export type PageStart = { organizationId: string; after: number };

/** Reads the page of rows that follows a given ordinal, in ascending order of ordinal. */
export type PageOf<Row> = (session: ReadSession, page: PageStart) => Step<readonly Row[]>;

/**
 * Creates a function that reads each page as one string per column, which takes about a third less time than reading individual
 * values.
 * @param rows a function that builds the query for a page, sorted by ordinal.
 * @param values the columns that contain numbers or short strings.
 * @param documents the columns that contain JSON.
 */
export function pagesInColumns<Row extends { readonly ordinal: number }>(
  { db, jsonArray }: SqlDialect,
  rows: (slot: Slot<PageStart>) => Expression<Row>,
  values: readonly (keyof Row & string)[],
  documents: readonly (keyof Row & string)[] = [],
): PageOf<Row> {
  const textsOf = prepare((slot: Slot<PageStart>) =>
    db
      .selectFrom(sql<Row>`${rows(slot)}`.as("page"))
      .select(values.map((name) => jsonArray(sql.ref(name)).as(name)))
      .select(
        documents.map((name) => sql<string>`string_agg(${sql.ref(name)}, ${sql.lit(SEPARATOR)})`.as(name)),
      ),
  );
  return function* (session, page) {
    const [texts] = yield* session.all(textsOf(page));
    const textOf = (name: string): string | null => Reflect.get(texts ?? {}, name) ?? null;
    const columns = [
      ...values.map((name): Column => [name, JSON.parse(textOf(name) ?? "[]")]),
      ...documents.map((name): Column => [name, textOf(name)?.split(SEPARATOR) ?? []]),
    ];
    const [[, first] = ["", []]] = columns;
    // The columns have the types of the rows.
    return first.map((_, at) => rowAt(columns, at)) as Row[];
  };
}

type Column = readonly [name: string, values: readonly unknown[]];

function rowAt(columns: readonly Column[], at: number): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (const [name, values] of columns) row[name] = values[at];
  return row;
}
