import type { UserFolds } from "../../../../src/storage/users.js";

/**
 * Separates the case-folded fields in the search text. The fields and search terms contain no uppercase letters, so no term can
 * match across two fields.
 */
export const BETWEEN_FOLDS = "A";

/**
 * Returns the string that searches match against. It contains all of a user's case-folded fields, because searching one long string
 * is faster than searching several short ones.
 */
export function buildSearchText({ email, writtenEmail, name, phone, externalId }: UserFolds): string {
  return [email, writtenEmail, name, phone, externalId].filter((fold) => fold !== null).join(BETWEEN_FOLDS);
}
