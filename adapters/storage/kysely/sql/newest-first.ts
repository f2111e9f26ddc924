import type { Expression, SelectQueryBuilder, SqlBool } from "kysely";
import type { Step } from "../../../../src/base/concurrency/step.js";
import type { Columns, ValuesOf } from "../../../../src/storage/record.js";
import { findFirst, prepare, type ReadSession, type Slot } from "../session/session.js";
import { sqlTableName } from "./columns.js";
import type { SqlDialect } from "./dialect.js";

import { createRowStatements } from "./rows.js";
import type { AnyTables, TableDefinition } from "./tables.js";

/** The rows of a list, and the page to read. */
interface ListPart {
  readonly organizationId: string;
  /** `null` for rows with any owner. */
  readonly owner: string | null;
  /** `null` for any status. */
  readonly status: string | null;
  /** Page number, from 0. */
  readonly page: number;
  readonly size: number;
}

/** Reads one page of a list, and the number of rows on all pages. */
type Listing<Row> = (session: ReadSession, part: ListPart) => Step<{ items: Row[]; total: number }>;

interface ListOptions {
  /** The column that contains the owner. */
  readonly owner?: string;
  /** Condition for the rows in the list. Default: all of the owner's rows. */
  readonly isListed?: (column: (name: string) => Expression<string>) => Expression<SqlBool>;
}

interface Values extends Omit<ListPart, "page"> {
  readonly offset: number;
}

type Selection = SelectQueryBuilder<AnyTables, string, object>;

/**
 * Prepares the queries that read a table page by page, sorted by `created_at`, then by ID, both in descending order. The table must
 * have status and ID columns.
 */
export function newestFirst<Own extends Columns, Key extends keyof Own, Beside extends Columns>(
  dialect: SqlDialect,
  table: TableDefinition<Own, Key, Beside>,
  options?: ListOptions,
): Listing<ValuesOf<Own>>;
export function newestFirst(
  dialect: SqlDialect,
  table: TableDefinition<Columns, string, Columns>,
  { owner, isListed }: ListOptions = {},
): Listing<ValuesOf<Columns>> {
  const { columns, rowOf } = createRowStatements(dialect, table);
  const db = dialect.db.withTables<AnyTables>();
  const selectListed = (slot: Slot<Values>): Selection => {
    const all = db
      .selectFrom(sqlTableName(table.record))
      .where("organization_id", "=", slot("organizationId"));
    const selection = owner === undefined ? all : all.where(owner, "=", slot("owner"));
    return isListed === undefined
      ? selection
      : selection.where(({ ref }) => isListed((name) => ref(name).$castTo<string>()));
  };
  const withStatus = (slot: Slot<Values>) => selectListed(slot).where("status", "=", slot("status"));
  const listing = (rows: (slot: Slot<Values>) => Selection) => ({
    page: prepare<Values, Record<string, unknown>>((slot) =>
      rows(slot)
        .select(columns)
        .orderBy("created_at", "desc")
        .orderBy("id", "desc")
        .limit(slot("size"))
        .offset(slot("offset")),
    ),
    total: prepare<Values, { total: number }>((slot) =>
      rows(slot).select(({ fn }) => fn.countAll<number>().as("total")),
    ),
  });
  const [allStatements, statusStatements] = [listing(selectListed), listing(withStatus)];
  return function* (session, { page, ...part }) {
    const statements = part.status === null ? allStatements : statusStatements;
    const values = { ...part, offset: page * part.size };
    const pageRows = yield* session.all(statements.page(values));
    const count = yield* findFirst(session, statements.total(values));
    return { items: pageRows.map(rowOf), total: Number(count?.total ?? 0) };
  };
}
