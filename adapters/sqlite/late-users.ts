import { type Kysely, sql } from "kysely";
import { boundsOfBlock, firstLate } from "../kysely/contacts/search-blocks.js";
import type { LateUsers } from "../kysely/sql/late-users.js";
import { prepare, type Slot } from "../kysely/sql/prepared.js";
import type { Tables } from "../kysely/sql/tables.js";

type Bounds = ReturnType<typeof boundsOfBlock> & { readonly organizationId: string };

/** Users are late by a column that takes no room: it is `null`, or 1. */
export function usersEnteringByBlock(db: Kysely<Tables>): LateUsers {
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
  // With the column in it, though it is the same in all entries, an index is read without the rows.
  const index = (column: string) => [
    sql`drop index ${sql.ref(`loyalty_users_${column}`)}`,
    sql`create index ${sql.ref(`loyalty_users_${column}`)}
      on loyalty_users (organization_id, ${sql.ref(column)}, id, late) where ${isIndexed}`,
  ];
  return {
    isLate,
    isIndexed,
    enter: (organizationId, block) => enter({ organizationId, ...boundsOfBlock(block) }),
    ofBlock: (organizationId, block) => late({ organizationId, ...boundsOfBlock(block) }),
    renewal: [
      sql`alter table loyalty_users add column late integer`,
      ...["updated_at", "name_fold", "external_id_fold"].flatMap(index),
    ].map((statement) => statement.compile(db)),
  };
}

/** The rows of users who come together, in the order of their ordinals: those of blocks that they fill are not late. */
export function withLate(rows: readonly Readonly<Record<string, unknown>>[]) {
  const first = firstLate(Number(rows.at(-1)?.ordinal) + 1);
  return rows.map((row) => ({ late: Number(row.ordinal) < first ? null : 1, ...row }));
}
