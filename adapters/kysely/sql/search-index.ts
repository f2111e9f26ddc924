import type { CompiledQuery } from "kysely";
import type { Step } from "../../../src/concurrency/step.js";
import type { ReadSession, Session } from "../session/session.js";

/** A user as the search index stores it, with the text from {@link buildSearchText}. */
export interface SearchedUser {
  readonly ordinal: number;
  readonly searchText: string;
}

/** A database's index of the trigrams in users' search text. It contains whole blocks of users. */
export interface SearchIndex {
  /** Statements that create the empty index. */
  readonly tables: readonly CompiledQuery<unknown>[];
  /** Number of users that can be scanned in the time it takes {@link find} to find one more. */
  readonly scannedPerFound: number;
  /** Number of users that can be scanned in the time it takes to look up one user's row. */
  readonly scannedPerLookup: number;
  /** Adds a block whose users are not in the index yet. */
  add(session: Session, organizationId: string, block: number, users: readonly SearchedUser[]): Step<void>;
  /** Changes the search text of an indexed user. */
  change(session: Session, organizationId: string, user: SearchedUser): Step<void>;
  remove(session: Session, organizationId: string, ordinal: number): Step<void>;
  /** Returns whether the index contains the block exactly as {@link add} would write it for these users. */
  hasExactly(
    session: ReadSession,
    organizationId: string,
    block: number,
    users: readonly SearchedUser[],
  ): Step<boolean>;
  /** Removes all of an organization's users from the index. */
  clear(session: Session, organizationId: string): Step<void>;
  /**
   * Finds the indexed users with the term in one of their folds.
   * @param end greater than all users' ordinals.
   * @returns the ordinals in no particular order; `null` if there may be more than `limit`, or the term is too short for the index.
   */
  find(
    session: ReadSession,
    organizationId: string,
    term: string,
    end: number,
    limit: number,
  ): Step<readonly number[] | null>;
  /**
   * Scans the search texts of all indexed users for the term and returns ordinals, ascending. `null` if that takes as long as
   * scanning the users' rows.
   */
  readonly scan:
    | ((session: ReadSession, organizationId: string, term: string) => Step<readonly number[]>)
    | null;
}
