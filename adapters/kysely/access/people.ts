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

  /** The people of all organizations who have a value in a column. */
  const having = (column: "email_fold" | "id") => {
    const statement = prepare((slot: Slot<{ value: string; limit: number }>) =>
      dialect.db
        .selectFrom("loyalty_people")
        .select(["organization_id as organizationId", ...rows.columns])
        .where(column, "=", slot("value"))
        .orderBy("organization_id")
        .limit(slot("limit")),
    );
    return function* ({ session }: Reading, value: string, limit: number): Step<FoundPerson[]> {
      const found = yield* session.all(statement({ value, limit }));
      return found.map(({ organizationId, ...person }) => ({ organizationId, person: rows.rowOf(person) }));
    };
  };

  const anybody = prepare(() =>
    dialect.db.selectFrom("loyalty_people").select(sql.lit(1).as("one")).limit(1),
  );

  return {
    reads: {
      listPeople: ({ session }, organizationId) => rows.list(session, organizationId),
      findPerson: ({ session }, organizationId, id) => rows.find(session, organizationId, { id }),
      peopleByEmail: called({ locks: "none" }, having("email_fold")),
      peopleById: called({ locks: "none" }, having("id")),
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
