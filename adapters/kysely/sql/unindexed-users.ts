import type { CompiledQuery, RawBuilder, SqlBool } from "kysely";

/**
 * Adds users to the search index and the indexes for contact orders in blocks, because indexing a block changes few more pages than
 * indexing a single user. Until then users are unindexed, and contact orders are read from both the index and the users' rows.
 */
export interface UnindexedUsers {
  /** True for users that are not indexed yet. */
  readonly isLate: RawBuilder<SqlBool>;
  /** True for indexed users. A statement must contain this condition to read a contact order from its index. */
  readonly isIndexed: RawBuilder<SqlBool>;
  /** Adds a block's users to the indexes. */
  indexBlock(organizationId: string, block: number): CompiledQuery<unknown>;
  /** Lists a block's unindexed users. */
  listInBlock(organizationId: string, block: number): CompiledQuery<{ readonly ordinal: number }>;
}
