import type { CompiledQuery, RawBuilder, SqlBool } from "kysely";
import type { Step } from "../../../../src/base/concurrency/step.js";
import type { ReadContext, ReadSession, Session } from "../session/session.js";

/** A user to index, with the search text from {@link buildSearchText}. */
export interface SearchedUser {
  readonly ordinal: number;
  readonly searchText: string;
}

/** A trigram index over users' search text. Users are added in blocks, each covering a fixed range of ordinals. */
export interface SearchIndex {
  /** The statements that create the index's tables, which are initially empty. */
  readonly tables: readonly CompiledQuery<unknown>[];
  /** How many users can be scanned in the time that it takes {@link find} to find one user. */
  readonly scannedPerFound: number;
  /** How many users can be scanned in the time that it takes to look up one user's row. */
  readonly scannedPerLookup: number;
  /** Adds a block of users. The users must not be in the index yet. */
  add(session: Session, organizationId: string, block: number, users: readonly SearchedUser[]): Step<void>;
  /** Updates the search text of a user who is already in the index. */
  change(session: Session, organizationId: string, user: SearchedUser): Step<void>;
  remove(session: Session, organizationId: string, ordinal: number): Step<void>;
  /** Returns whether the index contains exactly what {@link add} would store for the given block and users. */
  hasExactly(
    session: ReadSession,
    organizationId: string,
    block: number,
    users: readonly SearchedUser[],
  ): Step<boolean>;
  /** Removes all of an organization's users from the index. */
  clear(session: Session, organizationId: string): Step<void>;
  /**
   * Finds the indexed users who have a case-folded field containing the term.
   * @param end any number greater than every user's ordinal.
   * @returns the users' ordinals in no particular order, or `null` if more than `limit` users might match or the term is too short
   *   for the index.
   */
  find(context: ReadContext, term: string, end: number, limit: number): Step<readonly number[] | null>;
  /**
   * Scans the index for users whose search text contains the term, and returns their ordinals in ascending order. `null` if
   * scanning the index is no faster than scanning the users' rows.
   */
  readonly scan: ((context: ReadContext, term: string) => Step<readonly number[]>) | null;
}

/**
 * Queries that add users to the search index and the contact sort indexes, one block at a time. Indexing a whole block changes only
 * slightly more pages than indexing a single user. Until a block is indexed, searches and sorts must also read its users' rows.
 */
export interface UnindexedUsers {
  /** A condition that is true for users who aren't indexed yet. */
  readonly isUnindexed: RawBuilder<SqlBool>;
  /**
   * A condition that is true for indexed users. The database uses a contact sort index only if the statement contains this
   * condition.
   */
  readonly isIndexed: RawBuilder<SqlBool>;
  /** Builds the statement that adds a block's users to the indexes. */
  indexBlock(organizationId: string, block: number): CompiledQuery<unknown>;
  /** Builds the query that lists the ordinals of a block's unindexed users. */
  listInBlock(organizationId: string, block: number): CompiledQuery<{ readonly ordinal: number }>;
}
