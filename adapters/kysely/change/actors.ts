import { sql } from "kysely";
import { type ActorFilter, type ActorWrites, NOBODY } from "../../../src/storage/actors.js";
import type { Functions } from "../../../src/storage/methods.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";
import type { Changing } from "./pending.js";

/** The parts of an actor that are looked for, always as many. */
export interface ActorParts {
  part1: string;
  part2: string;
  part3: string;
  part4: string;
}

/** Stands in every actor. */
const ANY = "{";

export function partsOf({ parts }: ActorFilter): ActorParts {
  const [part1 = ANY, part2 = ANY, part3 = ANY, part4 = ANY] = parts;
  return { part1, part2, part3, part4 };
}

/** True where the column `actor` has all parts. */
export function hasParts({ contains }: SqlDialect, slot: Slot<ActorParts>) {
  const actor = sql<string>`coalesce(${sql.ref("actor")}, ${sql.lit(NOBODY)})`;
  const each = [slot("part1"), slot("part2"), slot("part3"), slot("part4")];
  return sql<boolean>`(${sql.join(
    each.map((part) => contains(actor, part)),
    sql` and `,
  )})`;
}

export function actorWrites({ db, isOneOf, listParameter }: SqlDialect): Functions<ActorWrites, Changing> {
  type Forgotten = Slot<{ organizationId: string; subjects: unknown }>;
  const ofEvents = prepare((slot: Forgotten) =>
    db
      .updateTable("loyalty_events")
      .set({ subject: null })
      .where("organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("subject"), slot("subjects"))),
  );
  const ofEntries = prepare((slot: Forgotten) =>
    db
      .updateTable("loyalty_stamp_entries")
      .set({ subject: null })
      .where("organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("subject"), slot("subjects"))),
  );
  const ofAudit = prepare((slot: Forgotten) =>
    db
      .updateTable("loyalty_audit")
      .set({ subject: null, salt: null })
      .where("organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("subject"), slot("subjects"))),
  );

  return {
    *forgetSubjects({ session }, organizationId, texts) {
      const subjects = listParameter(texts);
      yield* session.change(ofEvents({ organizationId, subjects }));
      yield* session.change(ofEntries({ organizationId, subjects }));
      yield* session.change(ofAudit({ organizationId, subjects }));
    },
  };
}
