import { laterThan } from "./clock.js";
import { LoyaltyError, notFound, type UserConflicts } from "./errors.js";
import { deletedUserOf, revokedPassOf, userOf } from "./representation.js";
import { parse, parseNew } from "./schemas/parse.js";
import {
  type CreateUser,
  createUserSchema,
  type UpdateUser,
  type User,
  updateUserSchema,
} from "./schemas/user.js";
import {
  StorageConflict,
  type StorageReader,
  type StorageTransaction,
  type StoredUser,
  type UserFolds,
  type UserSequence,
} from "./storage.js";
import type { Recorder, Tenant } from "./tenant.js";
import { fold, isStorable } from "./text.js";

/** How many users one read of an unpaged list brings: what is in memory at a time. */
export const USER_BATCH = 500;

/** The customers of an organization. */
export class Users {
  constructor(private readonly tenant: Tenant) {}

  /**
   * Creates a user. Of two at once with one email or externalId, exactly one succeeds.
   * @throws {LoyaltyError} `user_already_exists` naming the taken email and externalId; `validation_failed`;
   *   `access_denied` without `user:create`.
   */
  async create(input: CreateUser): Promise<User> {
    this.tenant.require("user:create");
    const user = parseNew(createUserSchema, input);
    return this.tenant.change(async (tx, record) => userOf(await insertUser(this.tenant, tx, record, user)));
  }

  /**
   * @param userId the service id or the external id.
   * @throws {LoyaltyError} `resource_not_found`; `access_denied` without `user:read`.
   */
  async get(userId: string): Promise<User> {
    this.tenant.require("user:read");
    return userOf(await findUser(this.tenant.storage, this.tenant.organizationId, userId));
  }

  /**
   * All users, oldest first, read in small batches. A user created or deleted meanwhile may be in it or not.
   * @throws {LoyaltyError} at the first step: `access_denied` without `user:read`.
   */
  async *list(): AsyncGenerator<User, void, undefined> {
    this.tenant.require("user:read");
    const { storage, organizationId } = this.tenant;
    yield* inBatches((after) => storage.listUsers(organizationId, after, USER_BATCH));
  }

  /**
   * Changes the sent fields. `null` clears `name`, `phone` and `externalId`; `metadata` is replaced whole.
   * A change of nothing keeps `updatedAt` and tells nobody.
   * @throws {LoyaltyError} `resource_not_found`; `user_already_exists`, with nothing changed;
   *   `validation_failed`; `access_denied` without `user:update`.
   */
  async update(userId: string, input: UpdateUser): Promise<User> {
    this.tenant.require("user:update");
    const change = parse(updateUserSchema, input);
    const { organizationId } = this.tenant;
    return this.tenant.change(async (tx, record) => {
      const before = await findUser(tx, organizationId, userId);
      const changed: StoredUser = {
        ...before,
        email: change.email ?? before.email,
        name: change.name === undefined ? before.name : change.name,
        phone: change.phone === undefined ? before.phone : change.phone,
        externalId: change.externalId === undefined ? before.externalId : change.externalId,
        metadata: change.metadata === undefined ? before.metadata : JSON.stringify(change.metadata),
      };
      if (isSame(before, changed)) return userOf(before);
      const after = { ...changed, updatedAt: laterThan(before.updatedAt, this.tenant.now()) };
      await namingConflicts(tx, organizationId, after, tx.updateUser(organizationId, after, foldsOf(after)));
      const user = userOf(after);
      record("user.updated", user);
      return user;
    });
  }

  /**
   * Deletes a user with its tag assignments, passes and stamps: all of it, or after a failure nothing.
   * @throws {LoyaltyError} `resource_not_found`; `access_denied` without `user:update`.
   */
  async delete(userId: string): Promise<void> {
    this.tenant.require("user:update");
    const { organizationId } = this.tenant;
    await this.tenant.change(async (tx, record) => {
      const user = await findUser(tx, organizationId, userId);
      const passes = await tx.passesOfUsers(organizationId, [user.id]);
      await tx.deleteUser(organizationId, user.id);
      for (const pass of passes) record("pass.revoked", revokedPassOf(pass));
      record("user.deleted", deletedUserOf(user));
    });
  }
}

/**
 * Finds a user by service id or external id. An external id never has the form of a service id, so the order
 * of the two looks can't matter.
 * @throws {LoyaltyError} `resource_not_found`.
 */
export async function findUser(
  reader: StorageReader,
  organizationId: string,
  userId: string,
): Promise<StoredUser> {
  if (!isStorable(userId)) throw notFound();
  const user =
    (await reader.findUser(organizationId, userId)) ??
    (await reader.findUserByExternalId(organizationId, userId));
  if (user === null) throw notFound();
  return user;
}

/** Adds a user in a running transaction. @throws {LoyaltyError} `user_already_exists`. */
export async function insertUser(
  tenant: Tenant,
  tx: StorageTransaction,
  record: Recorder,
  input: NewUser,
): Promise<StoredUser> {
  const { organizationId } = tenant;
  const sequence = await tx.nextUser(organizationId);
  const id = tenant.newId("usr");
  const createdAt = placedAfter(sequence, id, tenant.now());
  const user: StoredUser = {
    id,
    ordinal: sequence.ordinal,
    email: input.email,
    name: input.name ?? null,
    phone: input.phone ?? null,
    externalId: input.externalId ?? null,
    metadata: JSON.stringify(input.metadata ?? {}),
    createdAt,
    updatedAt: createdAt,
  };
  await namingConflicts(tx, organizationId, user, tx.insertUser(organizationId, user, foldsOf(user)));
  record("user.created", userOf(user));
  return user;
}

/** What `create` takes once it is checked. */
type NewUser = ReturnType<typeof createUserSchema.parse>;

/** The users of a list that is read batch by batch, each from the last ordinal of the one before. */
export async function* inBatches(
  read: (after: number) => Promise<StoredUser[]>,
): AsyncGenerator<User, void, undefined> {
  for (let after = -1; ; ) {
    const batch = await read(after);
    const last = batch.at(-1);
    if (last === undefined) return;
    for (const user of batch) yield userOf(user);
    after = last.ordinal;
  }
}

/**
 * The `createdAt` of a user at this place. (createdAt, id) grows with the ordinal, also when the clock goes back or two
 * processes make ids within one millisecond, so segments give the same order as every other list.
 */
function placedAfter({ newest }: UserSequence, id: string, now: number): number {
  if (newest === null || now > newest.createdAt) return now;
  return id > newest.id ? newest.createdAt : newest.createdAt + 1;
}

function foldsOf({ email, name, phone, externalId }: StoredUser): UserFolds {
  const folded = (text: string | null) => (text === null ? null : fold(text));
  return { email: fold(email), name: folded(name), phone: folded(phone), externalId: folded(externalId) };
}

/** Storage names the first key that is taken; callers hear of each. */
async function namingConflicts<T>(
  tx: StorageTransaction,
  organizationId: string,
  user: StoredUser,
  write: Promise<T>,
): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (!(error instanceof StorageConflict)) throw error;
    const { email, externalId } = user;
    const byEmail = await tx.findUserByEmail(organizationId, fold(email));
    const byExternalId =
      externalId === null ? null : await tx.findUserByExternalId(organizationId, externalId);
    const isTaken = (other: StoredUser | null) => other !== null && other.id !== user.id;
    const conflicts: UserConflicts = {
      ...((isTaken(byEmail) || error.key === "email") && { email_already_exists: [email] as const }),
      ...(externalId !== null &&
        (isTaken(byExternalId) || error.key === "externalId") && {
          external_id_already_exists: [externalId] as const,
        }),
    };
    throw new LoyaltyError({ code: "user_already_exists", conflicts }, { cause: error });
  }
}

function isSame(a: StoredUser, b: StoredUser): boolean {
  return (
    a.email === b.email &&
    a.name === b.name &&
    a.phone === b.phone &&
    a.externalId === b.externalId &&
    a.metadata === b.metadata
  );
}
