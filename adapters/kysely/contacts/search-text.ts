import type { UserFolds } from "../../../src/storage/users.js";

/** Separates two folds. Folds and terms contain no capital letters, so no term matches across two folds. */
export const BETWEEN_FOLDS = "A";

/**
 * Returns the text that searches match against: all of a user's folds in one string, because searching one long string is faster
 * than searching several short ones.
 */
export function buildSearchText({ email, writtenEmail, name, phone, externalId }: UserFolds): string {
  return [email, writtenEmail, name, phone, externalId].filter((fold) => fold !== null).join(BETWEEN_FOLDS);
}
