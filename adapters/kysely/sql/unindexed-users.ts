import type { CompiledQuery, RawBuilder, SqlBool } from "kysely";

/**
 * How a database brings users into the indexes of the orders of contacts block by block, as they come into the search index:
 * the entries of a block change few pages more than that of one user. Until then users are late, and an order is read from
 * its index and from their rows.
 */
export interface UnindexedUsers {
  /** True for users whom the indexes do not have yet. */
  readonly isLate: RawBuilder<SqlBool>;
  /** True for the others. A statement reads an order from its index only where it says so. */
  readonly isIndexed: RawBuilder<SqlBool>;
  /** Brings those of a block into the indexes. */
  indexBlock(organizationId: string, block: number): CompiledQuery<unknown>;
  /** The late users of a block. */
  listInBlock(organizationId: string, block: number): CompiledQuery<{ readonly ordinal: number }>;
}
