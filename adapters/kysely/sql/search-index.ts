import type { CompiledQuery } from "kysely";
import type { Step } from "../../../src/concurrency/step.js";
import type { ReadSession, Session } from "../session/session.js";

/** A user as a search sees it, with the text that {@link buildSearchText} gives. */
export interface SearchedUser {
  readonly ordinal: number;
  readonly searchText: string;
}

/** An index of the pieces of users' texts, as a database has one. It has the users of whole blocks of ordinals. */
export interface SearchIndex {
  /** Make it, empty. */
  readonly tables: readonly CompiledQuery<unknown>[];
  /** The users that can be scanned in the time in which {@link find} finds one more. */
  readonly scannedPerFound: number;
  /** The users that can be scanned in the time of looking up the row of one. */
  readonly scannedPerLookup: number;
  /** Adds a block that has no users in the index yet. */
  add(session: Session, organizationId: string, block: number, users: readonly SearchedUser[]): Step<void>;
  /** Gives one of its users another text. */
  change(session: Session, organizationId: string, user: SearchedUser): Step<void>;
  remove(session: Session, organizationId: string, ordinal: number): Step<void>;
  /** True when the index has the block exactly as {@link add} would write it for these users. */
  hasExactly(
    session: ReadSession,
    organizationId: string,
    block: number,
    users: readonly SearchedUser[],
  ): Step<boolean>;
  /** Takes all of an organization out of it. */
  clear(session: Session, organizationId: string): Step<void>;
  /**
   * The ordinals, in no order, of the indexed users with the term in one of their folds.
   * @param end above the ordinals of all users.
   * @returns null if there may be more than `limit` of them, or the term is too short for the index.
   */
  find(
    session: ReadSession,
    organizationId: string,
    term: string,
    end: number,
    limit: number,
  ): Step<readonly number[] | null>;
  /**
   * Goes through the texts of all of its users for those who have the term, ascending. Null where that takes as long as
   * going through their rows.
   */
  readonly scan:
    | ((session: ReadSession, organizationId: string, term: string) => Step<readonly number[]>)
    | null;
}
