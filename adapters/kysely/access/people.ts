import { sql } from "kysely";
import type { Step } from "../../../src/concurrency/step.js";
import type { FoundPerson, PersonReads, PersonWrites } from "../../../src/storage/people.js";
import { StorageConflict } from "../../../src/storage/storage-adapter.js";
import type { Part } from "../change/pending.js";
import { called } from "../session/call-rules.js";
import { changed, first, type Reading } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";
import { rowsOf } from "../sql/rows.js";
import { tables } from "../sql/tables.js";

/** Keeps those who may sign in. */
export function people(dialect: SqlDialect): Part<PersonReads, PersonWrites> {
  const rows = rowsOf(dialect, tables.people);
  const insert = rows.insertUnless("emailFold");

  const ofAll = dialect.db
    .selectFrom("loyalty_people")
    .select(["organization_id as organizationId", ...rows.columns]);

  const byEmail = prepare((slot: Slot<{ value: string; limit: number }>) =>
    ofAll
      .where("email_fold", "=", slot("value"))
      .orderBy(isMissing("email_proven_at"))
      .orderBy(isMissing("last_signed_in_at"))
      .orderBy("last_signed_in_at", "desc")
      .orderBy("created_at")
      .orderBy("organization_id")
      .limit(slot("limit")),
  );

  const byId = prepare((slot: Slot<{ value: string; limit: number }>) =>
    ofAll.where("id", "=", slot("value")).orderBy("organization_id").limit(slot("limit")),
  );

  /** The people of all organizations whom a statement finds. */
  const found = (statement: typeof byEmail) => {
    return function* ({ session }: Reading, value: string, limit: number): Step<FoundPerson[]> {
      const all = yield* session.all(statement({ value, limit }));
      return all.map(({ organizationId, ...person }) => ({ organizationId, person: rows.rowOf(person) }));
    };
  };

  const anybody = prepare(() =>
    dialect.db.selectFrom("loyalty_people").select(sql.lit(1).as("one")).limit(1),
  );

  return {
    reads: {
      listPeople: ({ session }, organizationId) => rows.list(session, organizationId),
      findPerson: ({ session }, organizationId, id) => rows.find(session, organizationId, { id }),
      peopleByEmail: called({ locks: "none" }, found(byEmail)),
      peopleById: called({ locks: "none" }, found(byId)),
      hasPeople: called({ locks: "none" }, function* ({ session }) {
        return (yield* first(session, anybody({}))) !== null;
      }),
    },
    writes: {
      *insertPerson({ session, pending }, organizationId, person) {
        if (!(yield* changed(session, insert(organizationId, person)))) throw new StorageConflict("email");
        yield* pending.count(organizationId, {});
      },
      updatePerson: ({ session }, organizationId, person) =>
        changed(session, rows.update(organizationId, person)),
      deletePerson: ({ session }, organizationId, id) =>
        changed(session, rows.remove(organizationId, { id })),
    },
  };
}

/** Sorts rows with a value before those with none: databases differ in where they put `null`. */
function isMissing(column: "email_proven_at" | "last_signed_in_at") {
  return sql<number>`case when ${sql.ref(column)} is null then 1 else 0 end`;
}
