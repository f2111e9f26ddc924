import type { Step } from "../base/concurrency/step.js";
import { LoyaltyError, type UserConflicts, validationFailed } from "../base/errors.js";
import { foldEmail } from "../base/values/email.js";
import { fold } from "../base/values/text.js";
import type { RecordEvent } from "../kernel/events/recording.js";
import { applyPatch } from "../kernel/patch.js";
import type { Change, Tenant } from "../kernel/tenant.js";
import { applyAddressChange } from "../messages/subscription-state.js";
import { unsetSettings } from "../settings/schema.js";
import type { StoredSettings } from "../storage/settings.js";
import { StorageConflict, type StorageReader, type StorageTransaction } from "../storage/storage-adapter.js";
import type { StoredUser, UserFolds, UserSequence } from "../storage/users.js";
import { type createUserSchema, type updateUserSchema, userOf } from "./schema.js";

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

/** The input of `Users.create` after validation. */
export type NewUser = ReturnType<typeof createUserSchema.parse>;

/** The validated input of `update`. */
type UserChange = ReturnType<typeof updateUserSchema.parse>;

/**
 * Returns an error message if a new user needs an email but has none, or `null` otherwise.
 * @param settings the organization's settings, or `null` if it has none.
 */
export function findEmailError(user: NewUser, settings: StoredSettings | null): string | null {
  if (user.email != null) return null;
  if ((settings ?? unsetSettings).requiresEmail) return "is required";
  return user.phone == null && user.externalId == null
    ? "is required unless phone or externalId is given"
    : null;
}

/**
 * Checks that a new user has an email if the organization requires it.
 * @param path the path of the email in the input.
 * @throws {LoyaltyError} `validation_failed` at the path if the email is missing.
 */
export function* assertHasEmail(tx: StorageTransaction, user: NewUser, path = "email"): Step<void> {
  if (user.email != null) return;
  const emailError = findEmailError(user, yield* tx.findSettings());
  if (emailError !== null) throw validationFailed({ [path]: emailError });
}

/**
 * Inserts a user in the caller's transaction.
 * @param createdAtMs the creation time, which must not be earlier than the newest user's, or `null` for the current time.
 * @throws {LoyaltyError} `user_already_exists`, or `validation_failed` for `createdAt`. In both cases nothing is inserted.
 */
export function* insertUser(
  { tenant, tx, record }: Change,
  input: NewUser,
  createdAtMs: number | null = null,
): Step<StoredUser> {
  const user = buildUser(tenant, yield* tx.nextUser(), input, createdAtMs);
  yield* rethrowConflict(tx, user, tx.insertUser(user, buildUserFolds(user)));
  recordUserCreated(record, user);
  return user;
}

/**
 * Inserts at most 1,000 users in order, in the caller's transaction. Stops at the first user whose email or external ID is taken.
 * @returns the inserted users, in order.
 */
export function* insertUsers({ tenant, tx, record }: Change, inputs: readonly NewUser[]): Step<StoredUser[]> {
  let sequence = yield* tx.nextUser();
  const users = inputs.map((input) => {
    const user = buildUser(tenant, sequence, input);
    sequence = { ordinal: user.ordinal + 1, newest: user };
    return user;
  });
  const usersToInsert = users.map((user) => ({ user, folds: buildUserFolds(user) }));
  const insertedUsers = users.slice(0, yield* tx.insertUsers(usersToInsert));
  for (const user of insertedUsers) recordUserCreated(record, user);
  return insertedUsers;
}

export function recordUserCreated(record: RecordEvent, user: StoredUser): void {
  record("user.created", userOf(user), { members: 1 });
}

/**
 * Builds a user from validated input, with the next ordinal in the sequence.
 * @param createdAtMs the creation time, or `null` for the current time.
 * @throws {LoyaltyError} `validation_failed` for `createdAt` if the newest user was created later.
 */
export function buildUser(
  tenant: Tenant,
  sequence: UserSequence,
  input: NewUser,
  createdAtMs: number | null = null,
): StoredUser {
  const id = tenant.newId("usr");
  if (createdAtMs !== null && createdAtMs < (sequence.newest?.createdAt ?? createdAtMs)) {
    throw validationFailed({
      createdAt:
        "must not be before the createdAt of the newest user: import the oldest first, or leave it out",
    });
  }
  const createdAt = computeCreatedAt(sequence, id, createdAtMs ?? tenant.now());
  return {
    id,
    ordinal: sequence.ordinal,
    email: input.email ?? null,
    name: input.name ?? null,
    phone: input.phone ?? null,
    externalId: input.externalId ?? null,
    metadata: JSON.stringify(input.metadata ?? {}),
    createdAt,
    updatedAt: createdAt,
  };
}

/**
 * Changes the given fields of a user in the caller's transaction. If nothing changes, `updatedAt` stays the same and no event is
 * emitted.
 * @throws {LoyaltyError} `user_already_exists`, or `validation_failed` if a required field is cleared. In both cases nothing is
 *   changed.
 */
export function* changeUser(change: Change, before: StoredUser, fields: UserChange): Step<StoredUser> {
  const { tenant, tx, record } = change;
  const metadata = fields.metadata && JSON.stringify(fields.metadata);
  const after = applyPatch(before, { ...fields, metadata }, tenant.now());
  if (after === before) return before;
  yield* assertStaysIdentifiable(tx, before, after);
  yield* rethrowConflict(tx, after, tx.updateUser(after, buildUserFolds(after)));
  record("user.updated", userOf(after));
  yield* applyAddressChange(change, before, after);
  return after;
}

/** The fields that identify a user. A user who has at least one of them must keep at least one. */
const identifyingKeys = ["email", "phone", "externalId"] as const;

/** @throws {LoyaltyError} `validation_failed` if a required email is cleared, or if none of {@link identifyingKeys} is left. */
function* assertStaysIdentifiable(tx: StorageTransaction, before: StoredUser, after: StoredUser): Step<void> {
  const clearedKeys = identifyingKeys.filter((key) => before[key] !== null && after[key] === null);
  if (clearedKeys.length === 0) return;
  const losesAllKeys = identifyingKeys.every((key) => after[key] === null);
  const errors = new Map<string, string>();
  if (losesAllKeys)
    for (const key of clearedKeys)
      errors.set(key, "can't be removed: a user needs an email, a phone or an externalId");
  else if (clearedKeys.includes("email")) {
    const settings = (yield* tx.findSettings()) ?? unsetSettings;
    if (settings.requiresEmail) errors.set("email", "is required");
  }
  if (errors.size > 0) throw validationFailed(Object.fromEntries(errors));
}

/**
 * Returns the `createdAt` for the next user of the sequence. (createdAt, ID) grows with the ordinal, even if the clock goes back or
 * two processes create IDs within one millisecond, so segments give the same order as every other list.
 */
function computeCreatedAt({ newest }: UserSequence, id: string, now: number): number {
  if (newest === null || now > newest.createdAt) return now;
  return id > newest.id ? newest.createdAt : newest.createdAt + 1;
}

export function buildUserFolds(user: Pick<StoredUser, "email" | "name" | "phone" | "externalId">): UserFolds {
  const { email, name, phone, externalId } = user;
  const foldOrNull = (text: string | null) => (text === null ? null : fold(text));
  const [emailKey, foldedEmail] = [email === null ? null : foldEmail(email), foldOrNull(email)];
  return {
    email: emailKey,
    writtenEmail: foldedEmail === emailKey ? null : foldedEmail,
    name: foldOrNull(name),
    phone: foldOrNull(phone),
    externalId: foldOrNull(externalId),
  };
}

/**
 * Runs a write and completes its conflict error. Storage reports only the first key that is taken, but the error that callers get
 * names all of them.
 */
function* rethrowConflict<T>(tx: StorageTransaction, user: StoredUser, write: Step<T>): Step<T> {
  try {
    return yield* write;
  } catch (error) {
    if (!(error instanceof StorageConflict)) throw error;
    const { email, externalId } = user;
    const byEmail = email === null ? null : yield* tx.findUserByEmail(foldEmail(email));
    const byExternalId = externalId === null ? null : yield* tx.findUserByExternalId(externalId);
    const isOtherUser = (owner: StoredUser | null) => owner !== null && owner.id !== user.id;
    const conflicts: UserConflicts = {
      ...(email !== null &&
        (isOtherUser(byEmail) || error.key === "email") && { email_already_exists: [email] as const }),
      ...(externalId !== null &&
        (isOtherUser(byExternalId) || error.key === "externalId") && {
          external_id_already_exists: [externalId] as const,
        }),
    };
    throw new LoyaltyError({ code: "user_already_exists", conflicts }, { cause: error });
  }
}
