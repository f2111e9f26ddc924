import { type Expression, type Kysely, type RawBuilder, sql } from "kysely";
import { type Step, succeedStep } from "../../../src/base/concurrency/step.js";
import {
  findFirst,
  prepare,
  type ReadSession,
  type Session,
  type SharedCommit,
  type Slot,
} from "../kysely/session/session.js";

import type { Tables } from "../kysely/sql/tables.js";

/*
 * SQLite row IDs are integers. In tables with rows from all organizations, the search index and the outbox, row IDs therefore start
 * with the organization's number. The numbers are local to one file.
 */

/**
 * Returns a SQL expression for an organization's number. The expression evaluates to `null` if the organization has no number yet.
 */
export function selectNumber(organizationId: Expression<string>): RawBuilder<number> {
  return sql`(select number from loyalty_search_organizations where organization_id = ${organizationId})`;
}

/** Maximum number of organizations whose numbers are cached. */
const MAX_CACHED_NUMBERS = 1_000;

/** Caches the numbers that transactions in this commit and earlier ones have read or assigned. A number never changes. */
class NumberCache {
  #newest: SharedCommit | null = null;
  #numbers = new Map<string, number>();

  /**
   * Returns the cached numbers for the transactions in a commit. The cache is cleared unless the commit starts from the state that
   * the previous commit left, because otherwise a number may have been rolled back.
   */
  getForCommit(commit: SharedCommit): Map<string, number> {
    const previous = this.#newest;
    if (previous === commit) return this.#numbers;
    const isNext = previous !== null && commit.stateBefore === previous.stateAfter;
    if (!isNext || this.#numbers.size >= MAX_CACHED_NUMBERS) this.#numbers = new Map();
    this.#newest = commit;
    return this.#numbers;
  }
}

/**
 * Finds and assigns the numbers that represent organizations in row IDs. A number never changes and is valid only within one
 * database file.
 */
export interface OrganizationNumbers {
  find(session: ReadSession, organizationId: string): Step<number | null>;
  /** Returns an organization's number, first assigning one if necessary. */
  getOrCreate(session: Session, organizationId: string): Step<number>;
}

export function createOrganizationNumbers(db: Kysely<Tables>): OrganizationNumbers {
  const find = prepare((slot: Slot<{ organizationId: string }>) => ({
    compile: () =>
      sql<{ number: number }>`
        select number from loyalty_search_organizations where organization_id = ${slot("organizationId")}`.compile(
        db,
      ),
  }));

  const insertNumber = prepare((slot: Slot<{ organizationId: string }>) => ({
    compile: () =>
      sql<{ number: number }>`
        insert into loyalty_search_organizations (organization_id) values (${slot("organizationId")})
        returning number`.compile(db),
  }));

  function* findNumber(session: ReadSession, organizationId: string): Step<number | null> {
    return (yield* findFirst(session, find({ organizationId })))?.number ?? null;
  }

  const cache = new NumberCache();

  function getOrCreate(session: Session, organizationId: string): Step<number> {
    const { commit } = session;
    if (commit === null) return readOrAssign(session, organizationId);
    const number = cache.getForCommit(commit).get(organizationId);
    return number === undefined ? readAndCache(session, commit, organizationId) : succeedStep(number);
  }

  function* readAndCache(session: Session, commit: SharedCommit, organizationId: string): Step<number> {
    const number = yield* readOrAssign(session, organizationId);
    cache.getForCommit(commit).set(organizationId, number);
    return number;
  }

  function* readOrAssign(session: Session, organizationId: string): Step<number> {
    const number = yield* findNumber(session, organizationId);
    if (number !== null) return number;
    const row = yield* findFirst(session, insertNumber({ organizationId }));
    if (row === null) throw new Error("the organization's number is missing after its insert");
    return row.number;
  }

  return { find: findNumber, getOrCreate };
}
