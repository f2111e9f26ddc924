import type { CompiledQuery, RawBuilder, SqlBool } from "kysely";

/**
 * Adds users to the indexes of contact orders and of the search in blocks, because a block changes few more pages than one user
 * does. Until then users are unindexed, and an order is read from its index and from their rows.
 */
export interface UnindexedUsers {
  /** True for users whom the indexes do not have yet. */
  readonly isLate: RawBuilder<SqlBool>;
  /** True for the others. A statement reads an order from its index only where it says so. */
  readonly isIndexed: RawBuilder<SqlBool>;
  /** Adds the users of a block to the indexes. */
  indexBlock(organizationId: string, block: number): CompiledQuery<unknown>;
  /** The late users of a block. */
  listInBlock(organizationId: string, block: number): CompiledQuery<{ readonly ordinal: number }>;
}
