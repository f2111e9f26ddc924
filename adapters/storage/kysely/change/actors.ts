import { sql } from "kysely";
import {
  type ActorFilter,
  type ActorReads,
  type ActorWrites,
  HOST_ACTOR,
  type SubjectColumn,
} from "../../../../src/storage/actors.js";
import type { Functions } from "../../../../src/storage/methods.js";
import { prepare, type ReadContext, type Slot } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";

import type { WriteContext } from "./commit-buffer.js";
import { prepareDeliveryRedaction } from "./redact-deliveries.js";

/**
 * The substrings that a stored actor must contain to match a filter. Each unused field holds a substring that all stored actors
 * contain.
 */
export interface ActorFilterParts {
  part1: string;
  part2: string;
  part3: string;
  part4: string;
}

/** Occurs in every actor. */
const COMMON_SUBSTRING = "{";

export function toActorFilterParts({ parts }: ActorFilter): ActorFilterParts {
  const [
    part1 = COMMON_SUBSTRING,
    part2 = COMMON_SUBSTRING,
    part3 = COMMON_SUBSTRING,
    part4 = COMMON_SUBSTRING,
  ] = parts;
  return { part1, part2, part3, part4 };
}

/**
 * Builds a condition that is true if the column `actor` contains all of the filter's substrings. A null column means that the actor
 * is the host.
 */
export function matchesParts({ contains }: SqlDialect, slot: Slot<ActorFilterParts>) {
  const actor = sql<string>`coalesce(${sql.ref("actor")}, ${sql.lit(HOST_ACTOR)})`;
  const each = [slot("part1"), slot("part2"), slot("part3"), slot("part4")];
  return sql<boolean>`(${sql.join(
    each.map((part) => contains(actor, part)),
    sql` and `,
  )})`;
}

const tablesWithSubjects = {
  events: "loyalty_events",
  stampEntries: "loyalty_stamp_entries",
  pointEntries: "loyalty_point_entries",
  audit: "loyalty_audit",
  grants: "loyalty_grants",
  tagRemovals: "loyalty_tag_removals",
} as const satisfies Record<SubjectColumn, string>;

export function actorReads({ db }: SqlDialect): Functions<ActorReads, ReadContext> {
  const findSubjectsAfter = (column: SubjectColumn) =>
    prepare((slot: Slot<{ organizationId: string; after: string; limit: number }>) =>
      db
        .selectFrom(tablesWithSubjects[column])
        .select("subject")
        .distinct()
        .where("organization_id", "=", slot("organizationId"))
        .where("subject", ">", slot("after"))
        .orderBy("subject")
        .limit(slot("limit")),
    );
  const subjectQueries = {
    events: findSubjectsAfter("events"),
    stampEntries: findSubjectsAfter("stampEntries"),
    pointEntries: findSubjectsAfter("pointEntries"),
    audit: findSubjectsAfter("audit"),
    grants: findSubjectsAfter("grants"),
    tagRemovals: findSubjectsAfter("tagRemovals"),
  };

  return {
    *listSubjects({ session, organizationId }, column, after, limit) {
      const rows = yield* session.all(subjectQueries[column]({ organizationId, after, limit }));
      return rows.flatMap(({ subject }) => (subject === null ? [] : [subject]));
    },
  };
}

/** Number of events whose webhook deliveries one statement redacts. */
const REDACTION_BATCH_SIZE = 1_000;

export function actorWrites(dialect: SqlDialect): Functions<ActorWrites, WriteContext> {
  const { db, isOneOf, listParameter } = dialect;
  const redactEventDeliveries = prepareDeliveryRedaction(dialect);
  type SubjectsSlot = Slot<{ organizationId: string; subjects: unknown }>;
  const findEventIds = prepare((slot: SubjectsSlot) =>
    db
      .selectFrom("loyalty_events")
      .select("id")
      .where("organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("subject"), slot("subjects"))),
  );
  const redactGrants = prepare((slot: SubjectsSlot) =>
    db
      .deleteFrom("loyalty_grants")
      .where("organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("subject"), slot("subjects"))),
  );
  const prepareSubjectRemoval = (table: "events" | "stampEntries" | "pointEntries" | "tagRemovals") =>
    prepare((slot: SubjectsSlot) =>
      db
        .updateTable(tablesWithSubjects[table])
        .set({ subject: null })
        .where("organization_id", "=", slot("organizationId"))
        .where(({ ref }) => isOneOf(ref("subject"), slot("subjects"))),
    );
  const redactEvents = prepareSubjectRemoval("events");
  const redactStampEntries = prepareSubjectRemoval("stampEntries");
  const redactPointEntries = prepareSubjectRemoval("pointEntries");
  const redactRemovals = prepareSubjectRemoval("tagRemovals");
  const redactAudit = prepare((slot: SubjectsSlot) =>
    db
      .updateTable("loyalty_audit")
      .set({ subject: null, salt: null })
      .where("organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("subject"), slot("subjects"))),
  );

  return {
    *redactSubjects({ session, organizationId }, subjectIds) {
      const subjects = listParameter(subjectIds);
      const ids = (yield* session.all(findEventIds({ organizationId, subjects }))).map(({ id }) => id);
      for (let from = 0; from < ids.length; from += REDACTION_BATCH_SIZE) {
        yield* redactEventDeliveries(session, organizationId, ids.slice(from, from + REDACTION_BATCH_SIZE));
      }
      yield* session.change(redactGrants({ organizationId, subjects }));
      yield* session.change(redactEvents({ organizationId, subjects }));
      yield* session.change(redactStampEntries({ organizationId, subjects }));
      yield* session.change(redactPointEntries({ organizationId, subjects }));
      yield* session.change(redactRemovals({ organizationId, subjects }));
      yield* session.change(redactAudit({ organizationId, subjects }));
    },
  };
}
