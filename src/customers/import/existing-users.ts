import { yieldIfDue } from "../../base/concurrency/event-loop.js";
import type { Step } from "../../base/concurrency/step.js";
import { foldEmail } from "../../base/values/email.js";
import type { RecordEvent } from "../../kernel/events/recording.js";
import type { Tenant } from "../../kernel/tenant.js";
import { splitIntoBatches } from "../../storage/batches.js";
import {
  StorageConflict,
  type StorageReader,
  type StorageTransaction,
} from "../../storage/storage-adapter.js";
import type { StoredUser, UserSequence } from "../../storage/users.js";
import {
  buildUser,
  buildUserFolds,
  pickExistingUser,
  recordUserCreated,
  type UserKeys,
} from "../user-writes.js";
import type { ValidRow } from "./row.js";

/** Loads the existing users that match a batch of rows, and keeps them up to date as rows change them. */
export class ExistingUsers {
  private readonly byExternalId = new Map<string, StoredUser>();
  private readonly byEmail = new Map<string, StoredUser>();

  private constructor() {}

  static *load(reader: StorageReader, rows: readonly UserKeys[]): Step<ExistingUsers> {
    const users = new ExistingUsers();
    const externalIds = rows.flatMap(({ externalId }) => externalId ?? []);
    for (const batch of splitIntoBatches(externalIds))
      for (const user of yield* reader.usersByExternalId(batch)) users.add(user);
    for (const batch of splitIntoBatches(
      rows.flatMap(({ email }) => (email == null ? [] : foldEmail(email))),
    ))
      for (const user of yield* reader.usersByEmail(batch)) users.add(user);
    return users;
  }

  /** The loaded users, with the changes made by the rows so far. */
  get users(): StoredUser[] {
    const all = [...this.byExternalId.values(), ...this.byEmail.values()];
    return [...new Map(all.map((user) => [user.id, user])).values()];
  }

  /** Returns the existing user that matches a row's keys, or `null` if there is none. */
  match(keys: UserKeys): StoredUser | null {
    const byExternalId = keys.externalId == null ? undefined : this.byExternalId.get(keys.externalId);
    const byEmail = keys.email == null ? undefined : this.byEmail.get(foldEmail(keys.email));
    return pickExistingUser(keys, byExternalId ?? null, byEmail ?? null);
  }

  /**
   * Returns whether an existing user has the row's email. Used for a row that matched no user, for example because the user with
   * that email has a different external ID.
   */
  isEmailTaken({ email }: UserKeys): boolean {
    return email != null && this.byEmail.has(foldEmail(email));
  }

  add(user: StoredUser): void {
    if (user.externalId !== null) this.byExternalId.set(user.externalId, user);
    if (user.email !== null) this.byEmail.set(foldEmail(user.email), user);
  }

  replace(before: StoredUser, after: StoredUser): void {
    if (before.externalId !== null) this.byExternalId.delete(before.externalId);
    if (before.email !== null) this.byEmail.delete(foldEmail(before.email));
    this.add(after);
  }
}

/** Maximum number of users added before yielding to the event loop. */
export const MAX_USERS_PER_STEP = 256;

/** Collects new users to insert together. The caller must have checked that their keys aren't taken. */
export class NewUsers {
  private queuedUsers: StoredUser[] = [];
  private nextSequence: UserSequence | null = null;

  constructor(
    private readonly tenant: Tenant,
    private readonly tx: StorageTransaction,
    private readonly record: RecordEvent,
  ) {}

  /**
   * Queues a user for {@link write}.
   * @throws {LoyaltyError} `validation_failed` for `createdAt`, in which case the user isn't queued.
   */
  *add(input: ValidRow["user"], createdAtMs: number | null): Step<StoredUser> {
    const { tenant, tx, record } = this;
    const sequence = this.nextSequence ?? (yield* tx.nextUser());
    const user = buildUser(tenant, sequence, input, createdAtMs);
    this.nextSequence = { ordinal: user.ordinal + 1, newest: user };
    this.queuedUsers.push(user);
    recordUserCreated(record, user);
    return user;
  }

  /**
   * Inserts the queued users.
   * @throws {StorageConflict} if a key turns out to be taken.
   */
  *write(): Step<void> {
    const users = this.queuedUsers;
    this.queuedUsers = [];
    for (let start = 0; start < users.length; start += MAX_USERS_PER_STEP) {
      yield* yieldIfDue();
      const batch = users
        .slice(start, start + MAX_USERS_PER_STEP)
        .map((user) => ({ user, folds: buildUserFolds(user) }));
      const insertedCount = yield* this.tx.insertUsers(batch);
      if (insertedCount < batch.length) throw new StorageConflict("email");
    }
  }
}
