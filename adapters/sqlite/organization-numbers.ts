import { type Expression, type Kysely, type RawBuilder, sql } from "kysely";
import { type Step, succeedStep } from "../../src/concurrency/step.js";
import { findFirst, type ReadSession, type Session, type SharedCommit } from "../kysely/session/session.js";
import { prepare, type Slot } from "../kysely/sql/prepared.js";
import type { Tables } from "../kysely/sql/tables.js";

/*
 * Row numbers of SQLite are integers, so in tables with rows of all organizations they begin with a number of the organization: in
 * the search index and the outbox. A number belongs to one file; no other database knows it.
 */

/** The number of an organization that has one, as part of a statement; else `null`. */
export function selectNumber(organizationId: Expression<string>): RawBuilder<number> {
  return sql`(select number from loyalty_search_organizations where organization_id = ${organizationId})`;
}

/** The most organizations whose numbers are cached. */
const MOST = 1_000;

/** The numbers that transactions of this commit or earlier ones have read or assigned; none ever changes. */
class RememberedNumbers {
  #newest: SharedCommit | null = null;
  #numbers = new Map<string, number>();

  /**
   * The numbers for the transactions of a commit. They are forgotten unless it begins with the state that the commit before has
   * left: else a number may have been rolled back.
   */
  of(commit: SharedCommit): Map<string, number> {
    const before = this.#newest;
    if (before === commit) return this.#numbers;
    const isNext = before !== null && commit.begins === before.leaves;
    if (!isNext || this.#numbers.size >= MOST) this.#numbers = new Map();
    this.#newest = commit;
    return this.#numbers;
  }
}

/** Reads and gives the numbers of organizations. */
export interface OrganizationNumbers {
  find(session: ReadSession, organizationId: string): Step<number | null>;
  /** The number of an organization, which gets one when it has none. */
  getOrCreate(session: Session, organizationId: string): Step<number>;
}

export function organizationNumbers(db: Kysely<Tables>): OrganizationNumbers {
  const find = prepare((slot: Slot<{ organizationId: string }>) => ({
    compile: () =>
      sql<{ number: number }>`
        select number from loyalty_search_organizations where organization_id = ${slot("organizationId")}`.compile(
        db,
      ),
  }));

  const give = prepare((slot: Slot<{ organizationId: string }>) => ({
    compile: () =>
      sql<{ number: number }>`
        insert into loyalty_search_organizations (organization_id) values (${slot("organizationId")})
        returning number`.compile(db),
  }));

  function* known(session: ReadSession, organizationId: string): Step<number | null> {
    return (yield* findFirst(session, find({ organizationId })))?.number ?? null;
  }

  const remembered = new RememberedNumbers();

  function given(session: Session, organizationId: string): Step<number> {
    const { commit } = session;
    if (commit === null) return readOrGiven(session, organizationId);
    const number = remembered.of(commit).get(organizationId);
    return number === undefined ? learned(session, commit, organizationId) : succeedStep(number);
  }

  function* learned(session: Session, commit: SharedCommit, organizationId: string): Step<number> {
    const number = yield* readOrGiven(session, organizationId);
    remembered.of(commit).set(organizationId, number);
    return number;
  }

  function* readOrGiven(session: Session, organizationId: string): Step<number> {
    const number = yield* known(session, organizationId);
    if (number !== null) return number;
    const row = yield* findFirst(session, give({ organizationId }));
    if (row === null) throw new Error("an organization got no number");
    return row.number;
  }

  return { find: known, getOrCreate: given };
}
