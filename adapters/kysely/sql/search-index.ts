import type { ReadSession, Session } from "../session/session.js";

/**
 * An index of the pieces of users' texts, as a database has one. It only narrows a search: what it finds is looked at
 * once more.
 */
export interface SearchIndex {
  /** Makes it, empty. */
  create(session: Session): Promise<void>;
  /** Adds a user whom it does not have, by the text that {@link searchTextOf} gives. */
  add(session: Session, organizationId: string, ordinal: number, searchText: string): Promise<void>;
  remove(session: Session, organizationId: string, ordinal: number): Promise<void>;
  /**
   * The ordinals of users, in no order, among whom are all those who have the term in one of their folds.
   * @returns null when there are more than `limit` of them, or the index can't tell for a term so short.
   */
  candidates(
    session: ReadSession,
    organizationId: string,
    term: string,
    limit: number,
  ): Promise<readonly number[] | null>;
}
