import type { Expression, SelectQueryBuilder, SqlBool } from "kysely";
import type { Step } from "../../../../src/base/concurrency/step.js";
import type { Columns, ValuesOf } from "../../../../src/storage/record.js";
import { findFirst, prepare, type ReadSession, type Slot } from "../session/session.js";
import { toSqlTableName } from "./columns.js";
import type { SqlDialect } from "./dialect.js";

import { createRowStatements } from "./rows.js";
import type { AnyTables, TableDefinition } from "./tables.js";

/** The rows of a list, and the page to read. */
interface ListQuery {
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
type ReadListPage<Row> = (session: ReadSession, part: ListQuery) => Step<{ items: Row[]; total: number }>;

interface ListOptions {
  /** The column that contains the owner. */
  readonly owner?: string;
  /** Condition for the rows in the list. Default: all of the owner's rows. */
  readonly condition?: (column: (name: string) => Expression<string>) => Expression<SqlBool>;
}

interface Values extends Omit<ListQuery, "page"> {
  readonly offset: number;
}

type Selection = SelectQueryBuilder<AnyTables, string, object>;

/**
 * Prepares the queries that read a table page by page, sorted by `created_at`, then by ID, both in descending order. The table must
 * have status and ID columns.
 */
export function prepareNewestFirst<Own extends Columns, Key extends keyof Own, Beside extends Columns>(
  dialect: SqlDialect,
  table: TableDefinition<Own, Key, Beside>,
  options?: ListOptions,
): ReadListPage<ValuesOf<Own>>;
export function prepareNewestFirst(
  dialect: SqlDialect,
  table: TableDefinition<Columns, string, Columns>,
  { owner, condition }: ListOptions = {},
): ReadListPage<ValuesOf<Columns>> {
  const { columns, toRow } = createRowStatements(dialect, table);
  const db = dialect.db.withTables<AnyTables>();
  const selectListed = (slot: Slot<Values>): Selection => {
    const all = db
      .selectFrom(toSqlTableName(table.record))
      .where("organization_id", "=", slot("organizationId"));
    const selection = owner === undefined ? all : all.where(owner, "=", slot("owner"));
    return condition === undefined
      ? selection
      : selection.where(({ ref }) => condition((name) => ref(name).$castTo<string>()));
  };
  const selectWithStatus = (slot: Slot<Values>) => selectListed(slot).where("status", "=", slot("status"));
  const prepareListing = (rows: (slot: Slot<Values>) => Selection) => ({
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
  const [allStatements, statusStatements] = [prepareListing(selectListed), prepareListing(selectWithStatus)];
  return function* (session, { page, ...query }) {
    const statements = query.status === null ? allStatements : statusStatements;
    const values = { ...query, offset: page * query.size };
    const pageRows = yield* session.all(statements.page(values));
    const count = yield* findFirst(session, statements.total(values));
    return { items: pageRows.map(toRow), total: Number(count?.total ?? 0) };
  };
}
