import type { CompiledQuery, RawBuilder, SqlBool } from "kysely";

/**
 * Queries that add users to the search index and the contact sort indexes, one block at a time. Indexing a whole block changes only
 * slightly more pages than indexing a single user. Until a block is indexed, searches and sorts must also read its users' rows.
 */
export interface UnindexedUsers {
  /** A condition that is true for users who aren't indexed yet. */
  readonly isLate: RawBuilder<SqlBool>;
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
