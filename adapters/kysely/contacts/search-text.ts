import type { UserFolds } from "../../../src/storage/users.js";

/** Stands between two folds. Neither a fold nor a term has a capital letter, so no term is found across two folds. */
export const BETWEEN_FOLDS = "A";

/**
 * Returns the text that searches match: a user's folds in one, since searching one long text is quicker than four short
 * ones.
 */
export function buildSearchText({ email, writtenEmail, name, phone, externalId }: UserFolds): string {
  return [email, writtenEmail, name, phone, externalId].filter((fold) => fold !== null).join(BETWEEN_FOLDS);
}
