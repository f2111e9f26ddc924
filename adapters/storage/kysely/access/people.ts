import { sql } from "kysely";
import type { Step } from "../../../../src/base/concurrency/step.js";
import type {
  OwnedPerson,
  PersonLookUps,
  PersonReads,
  PersonWrites,
} from "../../../../src/storage/people.js";
import { StorageConflict } from "../../../../src/storage/storage-adapter.js";
import type { LookUpModule } from "../change/commit-buffer.js";
import { changeRow, findFirst, type LookUpContext, prepare, type Slot } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";

import { createRowStatements } from "../sql/rows.js";
import { tables } from "../sql/tables.js";

/**
 * Creates the storage module for staff members, including functions that search all organizations for a staff member by email
 * address or ID.
 */
export function personModule(dialect: SqlDialect): LookUpModule<PersonReads, PersonWrites, PersonLookUps> {
  const rows = createRowStatements(dialect, tables.people);
  const insert = rows.prepareInsertUnless("emailFold");

  const selectAll = dialect.db
    .selectFrom("loyalty_people")
    .select(["organization_id as organizationId", ...rows.columns]);

  const findByEmail = prepare((slot: Slot<{ value: string; limit: number }>) =>
    selectAll
      .where("email_fold", "=", slot("value"))
      .orderBy(isMissing("email_proven_at"))
      .orderBy(isMissing("last_signed_in_at"))
      .orderBy("last_signed_in_at", "desc")
      .orderBy("created_at")
      .orderBy("organization_id")
      .limit(slot("limit")),
  );

  const findById = prepare((slot: Slot<{ value: string; limit: number }>) =>
    selectAll.where("id", "=", slot("value")).orderBy("organization_id").limit(slot("limit")),
  );

  /** Runs a statement that finds staff members across all organizations. */
  const createPersonSearch = (statement: typeof findByEmail) => {
    return function* ({ session }: LookUpContext, value: string, limit: number): Step<OwnedPerson[]> {
      const people = yield* session.all(statement({ value, limit }));
      return people.map(({ organizationId, ...person }) => ({ organizationId, person: rows.toRow(person) }));
    };
  };

  const findAnyPerson = prepare(() =>
    dialect.db.selectFrom("loyalty_people").select(sql.lit(1).as("one")).limit(1),
  );

  return {
    reads: {
      listPeople: ({ session, organizationId }) => rows.list(session, organizationId),
      findPerson: ({ session, organizationId }, id) => rows.find(session, organizationId, { id }),
    },
    lookUps: {
      peopleByEmail: createPersonSearch(findByEmail),

      peopleById: createPersonSearch(findById),

      *hasPeople({ session }) {
        return (yield* findFirst(session, findAnyPerson({}))) !== null;
      },
    },
    writes: {
      *insertPerson({ session, buffer, organizationId }, person) {
        if (!(yield* changeRow(session, insert(organizationId, person)))) throw new StorageConflict("email");
        yield* buffer.updateCounters(organizationId, {});
      },
      updatePerson: ({ session, organizationId }, person) =>
        changeRow(session, rows.update(organizationId, person)),
      deletePerson: ({ session, organizationId }, id) =>
        changeRow(session, rows.remove(organizationId, { id })),
    },
  };
}

/** Sorts rows with a value before rows without one, because databases differ in where they sort `null`. */
function isMissing(column: "email_proven_at" | "last_signed_in_at") {
  return sql<number>`case when ${sql.ref(column)} is null then 1 else 0 end`;
}
