import type { Step } from "../base/concurrency/step.js";
import { foldEmail } from "../base/values/email.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import type { StoredUser } from "../storage/users.js";

/** Keys for finding an existing user. A key that is missing or `null` isn't used. */
export interface UserKeys {
  readonly email?: string | null | undefined;
  readonly externalId?: string | null | undefined;
}

/**
 * Finds the user with the given external ID or, if there is none, the user with the given email. If the keys include an external
 * ID, a user found by email is returned only if that user has no external ID.
 */
export function* findExistingUser(reader: StorageReader, keys: UserKeys): Step<StoredUser | null> {
  const { externalId = null, email = null } = keys;
  const byExternalId = externalId === null ? null : yield* reader.findUserByExternalId(externalId);
  if (byExternalId !== null) return byExternalId;
  if (email === null) return null;
  return pickExistingUser(keys, null, yield* reader.findUserByEmail(foldEmail(email)));
}

/**
 * Returns the user found by external ID or, if there is none, the user found by email. If the keys include an external ID, a user
 * found by email must not have an external ID.
 */
export function pickExistingUser(
  { externalId = null }: UserKeys,
  byExternalId: StoredUser | null,
  byEmail: StoredUser | null,
): StoredUser | null {
  if (byExternalId !== null) return byExternalId;
  return byEmail === null || externalId === null || byEmail.externalId === null ? byEmail : null;
}
