import type { Step } from "../../../../src/base/concurrency/step.js";
import type { UserFolds } from "../../../../src/storage/users.js";
import { prepare, type ReadSession, type Slot } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import type { SearchedUser } from "../sql/search-index.js";

/**
 * Number of consecutive ordinals in a block. Indexing a single user would cost more than writing the user's row, so all of a
 * block's users are added to the search index together once the block's last ordinal has been assigned. Until then, searches scan
 * the users' rows.
 */
export const BLOCK_SIZE = 256;

/** Returns the number of the block that contains an ordinal, counting blocks from 0. */
export function toBlock(ordinal: number): number {
  return Math.floor(ordinal / BLOCK_SIZE);
}

/** Returns a block's ordinals as a range from `from` (inclusive) to `to` (exclusive). */
export function getBlockRange(block: number): { readonly from: number; readonly to: number } {
  return { from: block * BLOCK_SIZE, to: (block + 1) * BLOCK_SIZE };
}

/**
 * Returns the lowest ordinal whose user might be missing from the search index.
 * @param next the ordinal that the next user will have, or a lower number that is still greater than all users' ordinals.
 */
export function findFirstUnindexed(next: number): number {
  return getBlockRange(toBlock(next)).from;
}

/**
 * Separates the case-folded fields in the search text. The fields and search terms contain no uppercase letters, so no term can
 * match across two fields.
 */
export const FOLD_SEPARATOR = "A";

/**
 * Returns the string that searches match against. It contains all of a user's case-folded fields, because searching one long string
 * is faster than searching several short ones.
 */
export function buildSearchText({ email, writtenEmail, name, phone, externalId }: UserFolds): string {
  return [email, writtenEmail, name, phone, externalId].filter((fold) => fold !== null).join(FOLD_SEPARATOR);
}

/** Creates a function that reads a block's users in the form that the search index stores. */
export function prepareBlockUsers({ db }: SqlDialect) {
  const selectUsers = prepare((slot: Slot<{ organizationId: string; from: number; to: number }>) =>
    db
      .selectFrom("loyalty_users")
      .select(["ordinal", "search_text as searchText"])
      .where("organization_id", "=", slot("organizationId"))
      .where("ordinal", ">=", slot("from"))
      .where("ordinal", "<", slot("to"))
      .orderBy("ordinal"),
  );

  return (session: ReadSession, organizationId: string, block: number): Step<SearchedUser[]> =>
    session.all(selectUsers({ organizationId, ...getBlockRange(block) }));
}
