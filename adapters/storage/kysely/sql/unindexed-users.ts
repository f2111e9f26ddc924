import type { CompiledQuery, RawBuilder, SqlBool } from "kysely";

/**
 * Queries for adding users to the search index and to the contact sort indexes, one block at a time. Indexing a whole block changes
 * only slightly more pages than indexing a single user. Until a block is indexed, searching and sorting must also read its users'
 * rows.
 */
export interface UnindexedUsers {
  /** A condition that is true for users who aren't indexed yet. */
  readonly isLate: RawBuilder<SqlBool>;
  /**
   * A condition that is true for indexed users. The database uses an index for sorting contacts only if the statement contains this
   * condition.
   */
  readonly isIndexed: RawBuilder<SqlBool>;
  /** Builds the statement that adds a block's users to the indexes. */
  indexBlock(organizationId: string, block: number): CompiledQuery<unknown>;
  /** Builds the query that lists the users in a block who aren't indexed yet. */
  listInBlock(organizationId: string, block: number): CompiledQuery<{ readonly ordinal: number }>;
}
