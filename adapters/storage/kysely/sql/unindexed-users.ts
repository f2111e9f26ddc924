import type { CompiledQuery, RawBuilder, SqlBool } from "kysely";

/**
 * Support for adding users to the search index and the contact sort indexes in blocks. Indexing a whole block changes hardly more
 * pages than indexing a single user. Until a block is indexed, searching and sorting must also read the rows of its users.
 */
export interface UnindexedUsers {
  /** A condition that is true for users who are not indexed yet. */
  readonly isLate: RawBuilder<SqlBool>;
  /**
   * A condition that is true for indexed users. The database uses a contact sort index only if the statement contains this
   * condition.
   */
  readonly isIndexed: RawBuilder<SqlBool>;
  /** Returns the statement that adds a block's users to the indexes. */
  indexBlock(organizationId: string, block: number): CompiledQuery<unknown>;
  /** Returns the query that lists a block's unindexed users. */
  listInBlock(organizationId: string, block: number): CompiledQuery<{ readonly ordinal: number }>;
}
