import { type Kysely, sql } from "kysely";
import { boundsOfBlock, firstUnindexedOrdinal } from "../kysely/contacts/search-blocks.js";
import { prepare, type Slot } from "../kysely/sql/prepared.js";
import type { Tables } from "../kysely/sql/tables.js";
import type { UnindexedUsers } from "../kysely/sql/unindexed-users.js";

type Bounds = ReturnType<typeof boundsOfBlock> & { readonly organizationId: string };

/**
 * Creates the queries for users who have been inserted but aren't in the search index yet. Their rows have the value 1 in the
 * column `late`, which is otherwise `null` and takes up no space.
 */
export function indexUsersByBlock(db: Kysely<Tables>): UnindexedUsers {
  const isLate = sql<boolean>`late is not null`;
  const isIndexed = sql<boolean>`late is null`;
  const ofBlock = (slot: Slot<Bounds>) =>
    sql`organization_id = ${slot("organizationId")} and ordinal >= ${slot("from")} and ordinal < ${slot("to")}
      and ${isLate}`;
  const enter = prepare((slot: Slot<Bounds>) => ({
    compile: () => sql`update loyalty_users set late = null where ${ofBlock(slot)}`.compile(db),
  }));
  const late = prepare((slot: Slot<Bounds>) => ({
    compile: () =>
      sql<{ ordinal: number }>`select ordinal from loyalty_users where ${ofBlock(slot)}`.compile(db),
  }));
  return {
    isLate,
    isIndexed,
    indexBlock: (organizationId, block) => enter({ organizationId, ...boundsOfBlock(block) }),
    listInBlock: (organizationId, block) => late({ organizationId, ...boundsOfBlock(block) }),
  };
}

/**
 * Adds the `late` column to user rows that are about to be inserted. The column marks users who won't be indexed in the same
 * transaction because the batch doesn't fill their block.
 * @param rows the rows, sorted by ordinal.
 */
export function includingUnindexed(rows: readonly Readonly<Record<string, unknown>>[]) {
  const first = firstUnindexedOrdinal(Number(rows.at(-1)?.ordinal) + 1);
  return rows.map((row) => ({ late: Number(row.ordinal) < first ? null : 1, ...row }));
}
