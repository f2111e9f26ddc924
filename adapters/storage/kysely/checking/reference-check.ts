import { sql } from "kysely";
import type { Step } from "../../../../src/base/concurrency/step.js";
import type { Column } from "../../../../src/storage/record.js";
import { findFirst, type ReadSession, type Session } from "../session/session.js";
import { sqlName } from "../sql/columns.js";
import type { SqlDialect } from "../sql/dialect.js";
import { tables } from "../sql/tables.js";
import type { RowProblem } from "./finding.js";

/** All columns that refer to a column in another table. */
const references = Object.values(tables).flatMap(({ record, beside }) =>
  Object.entries<Column>({ ...record.columns, ...beside }).flatMap(
    ([
      column,
      {
        traits: { reference },
      },
    ]) => (reference === null ? [] : [{ of: sqlName(record.name), column: sqlName(column), reference }]),
  ),
);

/** Excludes assignments of tags that are being removed, because those assignments are deleted in slices. */
const unlessRemoved = sql`and not exists (select 1 from loyalty_tag_removals removals
  where removals.organization_id = rows.organization_id and removals.ordinal = rows.tag_ordinal)`;

/**
 * Creates the check for dangling references: values that don't exist in the table they refer to. The check can repair two kinds of
 * dangling references by deleting rows that have no effect: the members of a deleted segment, and a deleted tag's assignments to
 * users who weren't in the tag's set.
 */
export function referenceCheck({ db }: SqlDialect) {
  return {
    *find(session: ReadSession, organizationId: string): Step<readonly RowProblem[]> {
      const found: string[] = [];
      for (const { of, column, reference } of references) {
        const dangling = sql`select 1 from ${sql.table(`loyalty_${of}`)} rows
          where rows.organization_id = ${organizationId} and ${sql.ref(`rows.${column}`)} is not null and not exists (
            select 1 from ${sql.table(`loyalty_${sqlName(reference.table)}`)} others
            where others.organization_id = rows.organization_id
            and ${sql.ref(`others.${sqlName(reference.column)}`)} = ${sql.ref(`rows.${column}`)})
            ${of === "user_tag_assignments" && column === "tag_ordinal" ? unlessRemoved : sql``} limit 1`;
        if ((yield* findFirst(session, dangling.compile(db))) !== null) found.push(`${of}.${column}`);
      }
      return found;
    },

    *repair(session: Session, organizationId: string): Step<void> {
      const ofDeletedTags = sql`delete from loyalty_user_tag_assignments as rows
        where organization_id = ${organizationId}
        and tag_ordinal < (select next_tag_ordinal from loyalty_organizations where organization_id = ${organizationId})
        and not exists (select 1 from loyalty_user_tags
          where loyalty_user_tags.organization_id = ${organizationId}
          and loyalty_user_tags.ordinal = rows.tag_ordinal)
        ${unlessRemoved}`;
      yield* session.change(ofDeletedTags.compile(db));
      const ofNoSegment = sql`delete from loyalty_segment_slices where organization_id = ${organizationId}
        and segment_id not in (select id from loyalty_saved_segments where organization_id = ${organizationId})`;
      yield* session.change(ofNoSegment.compile(db));
    },
  };
}
