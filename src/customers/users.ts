import { resolveActor } from "../access/actor-schema.js";
import { runStep, type Step } from "../base/concurrency/step.js";
import { type FirstPage, type ListPromise, StreamedList } from "../base/list-promise.js";
import { parse, parseNew } from "../base/parse.js";
import { foldEmail } from "../base/values/email.js";
import { revokedPassOf } from "../cards/pass-schema.js";
import { recordAuditEntry, recordAuditedRead } from "../kernel/audit.js";
import { findUser, findUserOrNull, readInBatches, USER_BATCH_SIZE } from "../kernel/find.js";
import type { IdempotencyOptions } from "../kernel/idempotency/idempotent-call.js";
import type { Tenant } from "../kernel/tenant.js";
import { type CallsOf, type SyncCallsOf, UseCases } from "../kernel/use-cases.js";
import { countCard } from "../statistics/count-deltas.js";
import { type Dossier, readDossier } from "./dossier.js";
import {
  erasePersonalData,
  findUserEvents,
  freezePurchases,
  noUserEvents,
  readPersonTexts,
  type UserEvents,
} from "./erasure.js";
import { type ImportOptions, type ImportRows, importUsers } from "./import/import.js";
import type { ImportResult } from "./import/import-total.js";
import type { PersonTexts } from "./person-texts.js";
import {
  type CreateUser,
  createUserSchema,
  deletedUserOf,
  type ExportedUser,
  type FindUser,
  findUserSchema,
  type UpdateUser,
  type User,
  updateUserSchema,
  userOf,
} from "./schema.js";
import { assertHasEmail, changeUser, findExistingUser, insertUser } from "./user-writes.js";

/** The public, asynchronous form of the {@link Users} methods. */
export interface UserCalls extends CallsOf<Users> {}

/** The synchronous methods of {@link Users}, for use in a synchronous transaction. */
export type SyncUsers = SyncCallsOf<Users>;

/** Manages an organization's customers: creates, finds, changes, imports, exports, and deletes them. */
export class Users extends UseCases {
  /**
   * Creates a user. If two concurrent calls use the same email or external ID, exactly one succeeds. An email is required unless
   * the setting `requiresEmail` is off, in which case a phone or an external ID is enough.
   * @throws {LoyaltyError} `validation_failed`, `access_denied` if the caller lacks `user:create`, or `user_already_exists`, which
   *   names each key (`email`, `externalId`) that is taken.
   */
  *create(input: CreateUser & IdempotencyOptions): Step<User> {
    const { tenant } = this;
    const user = parseNew(createUserSchema, input);
    return yield* tenant.changeStep(["users.create", input], function* (change) {
      const { tx } = change;
      yield* assertHasEmail(tx, user);
      return userOf(yield* insertUser(change, user));
    });
  }

  /**
   * Creates a user or changes an existing one. The existing user is the one with the given `externalId` or, if there is none, the
   * one with the given email who doesn't have a different `externalId`. Only the given fields change. `null` clears a field, and
   * `metadata` is replaced as a whole. An email is required under the same conditions as in {@link create}. A call without an email
   * or `externalId` always creates a user. If several calls for the same new user run concurrently, one creates the user and the
   * others change it.
   * @throws {LoyaltyError} `validation_failed`, `access_denied` if the caller lacks `user:create` or `user:update`, or
   *   `user_already_exists` if another user has the email. In all of these cases, nothing is changed.
   */
  *upsert(input: CreateUser & IdempotencyOptions): Step<User> {
    const { tenant } = this;
    const user = parseNew(createUserSchema, input);
    return yield* tenant.changeStep(["users.upsert", input], function* (change) {
      const { tx } = change;
      yield* assertHasEmail(tx, user);
      const existing = yield* findExistingUser(tx, user);
      return userOf(
        existing === null ? yield* insertUser(change, user) : yield* changeUser(change, existing, user),
      );
    });
  }

  /**
   * Returns the user with the given email, ignoring case, or `null` if there is none.
   * @throws {LoyaltyError} `validation_failed`, or `access_denied` if the caller lacks `user:read`.
   */
  async find(query: FindUser): Promise<User | null> {
    const { email } = parse(findUserSchema, query);
    const { reader } = this.tenant;
    const user = await runStep(reader.findUserByEmail(foldEmail(email)));
    return user === null ? null : userOf(user);
  }

  /**
   * Returns a user by ID or external ID.
   * @param userId the user's ID or external ID.
   * @throws {LoyaltyError} `resource_not_found`, or `access_denied` if the caller lacks `user:read`.
   */
  get(userId: string): Promise<User> {
    return runStep(getUser(this.tenant, userId));
  }

  /**
   * Lists all users, oldest first. Awaiting the list returns a page of the first 50 users. Iterating over it reads all users in
   * small batches. Users who are created or deleted during the iteration might or might not be included.
   * @throws {LoyaltyError} `access_denied` if the caller lacks `user:read`. Thrown when the list is awaited or the iteration
   *   begins.
   */
  list(): ListPromise<FirstPage<User>, User> {
    const { tenant } = this;
    return new StreamedList(() =>
      readInBatches((after) => tenant.read((reader) => reader.listUsers(after, USER_BATCH_SIZE), true)),
    );
  }

  /**
   * Changes only the given fields. `null` clears a field, and `metadata` is replaced as a whole. The email can be cleared if the
   * setting `requiresEmail` is off, but a user must keep at least one of email, phone, and `externalId`. If nothing changes,
   * `updatedAt` stays the same and no event is emitted.
   * @throws {LoyaltyError} `resource_not_found`, `validation_failed`, `user_already_exists`, or `access_denied` if the caller lacks
   *   `user:update`. In all of these cases, nothing is changed.
   */
  async update(userId: string, input: UpdateUser & IdempotencyOptions): Promise<User> {
    const { tenant } = this;
    const fields = parse(updateUserSchema, input);
    const { organizationId } = tenant;
    return tenant.change(["users.update", userId, input], function* (change) {
      const { tx } = change;
      const before = yield* findUser(tx, organizationId, userId);
      return userOf(yield* changeUser(change, before, fields));
    });
  }

  /**
   * Creates and updates many users, with their tags. Each row updates the user with its `externalId` or, if there is none, the user
   * with its email who doesn't have a different `externalId`. If no user matches, the row creates one. Only the given fields
   * change. A failed row changes nothing and doesn't stop the import. Each transaction writes a batch of up to 500 rows. An
   * interrupted import has written only whole batches, and running it again completes it.
   * @param rows the rows, which are read only as fast as they can be written. If the iterable throws, the rows read before that are
   *   imported first.
   * @returns how many users were created and updated, and the errors for the failed rows. Memory use grows only with the number of
   *   failed rows.
   * @throws {LoyaltyError} `access_denied` if the caller lacks `user:create`, `user:update`, or `user_tag:write`.
   * @throws any error from `rows`, `onProgress`, or storage. Rows imported before the error are kept.
   */
  async import(rows: ImportRows, options: ImportOptions = {}): Promise<ImportResult> {
    return importUsers(this.tenant, rows, options);
  }

  /**
   * Iterates over all users with the slugs of their tags, in the format that {@link import} accepts. Users are ordered oldest
   * first, and so are each user's tags by assignment. Each small batch is read from a single snapshot. Users who are created or
   * deleted during the iteration might or might not be included.
   * @throws {LoyaltyError} `access_denied` if the caller lacks `user:read` or `user_tag:read`. Thrown when the iteration begins.
   */
  async *export(): AsyncGenerator<ExportedUser, void, undefined> {
    for (let after = -1; ; ) {
      const batch = await this.tenant.read(function* (reader) {
        const users = yield* reader.listUsers(after, USER_BATCH_SIZE);
        const ordinals = users.map(({ ordinal }) => ordinal);
        const slugs = yield* reader.slugsOfUsers(ordinals);
        return users.map((user) => ({ user, tags: slugs.get(user.ordinal) ?? [] }));
      }, true);
      const last = batch.at(-1);
      if (last === undefined) return;
      if (after === -1) await recordAuditedRead(this.tenant, { action: "users.exported", target: null });
      for (const { user, tags } of batch) yield { ...userOf(user), tags: [...tags] };
      after = last.user.ordinal;
    }
  }

  /**
   * Deletes a user together with their tag assignments, passes, stamps, and points. Purchases stay without the user, their notes,
   * and the names of their lines, and never change again. If the call fails, nothing is deleted.
   * @throws {LoyaltyError} `resource_not_found`, or `access_denied` if the caller lacks `user:update`.
   */
  async delete(userId: string, options: IdempotencyOptions = {}): Promise<void> {
    const { organizationId } = this.tenant;
    await this.tenant.change(["users.delete", userId, options], function* (change) {
      const { tx, record } = change;
      const user = yield* findUser(tx, organizationId, userId);
      const passes = yield* tx.passesOfUsers([user]);
      yield* freezePurchases(change, user.id);
      yield* tx.deleteUser(user.id);
      for (const pass of passes) record("pass.revoked", revokedPassOf(pass), { cards: -countCard(pass) });
      record("user.deleted", deletedUserOf(user), { members: -1 });
    });
  }

  /**
   * Deletes a user like {@link delete} and also removes their personal data from events, deliveries, idempotency records,
   * wallets, and the storage's own files. IDs are kept, as are the positions, types, and times of events and the numbers in
   * statistics. From then on, repeating an earlier call about the user with its idempotency key fails with status 404. Passes in
   * wallets become void. If the service has wallets, the devices that hold these passes stay on record until they have been
   * notified, for at most 28 days. Data that was already sent to webhook receivers can't be removed.
   * @throws {LoyaltyError} `resource_not_found`, or `access_denied` if the caller lacks `user:update`.
   */
  async erase(userId: string, options: IdempotencyOptions = {}): Promise<void> {
    const erasureInput = await readErasureInput(this.tenant, userId);
    const tenant = redactOwnSubject(this.tenant, erasureInput);
    const { organizationId } = tenant;
    await tenant.change(["users.erase", userId, options], function* (change) {
      const { tx, record } = change;
      const user = yield* findUser(tx, organizationId, userId);
      const passes = yield* tx.passesOfUsers([user]);
      const passIds = passes.map(({ id }) => id);
      yield* erasePersonalData(change, user, passIds, erasureInput?.userEvents ?? noUserEvents);
      yield* freezePurchases(change, user.id);
      yield* tx.deleteUser(user.id);
      for (const pass of passes) record("pass.revoked", revokedPassOf(pass), { cards: -countCard(pass) });
      record("user.deleted", deletedUserOf(user), { members: -1 });
      yield* recordAuditEntry(tx, tenant, { action: "user.erased", target: user.id });
    });
    await tenant.storage.purge();
  }

  /**
   * Returns everything stored about a customer, for example to answer a subject access request. All data comes from a single
   * snapshot. The call is expensive if many events are retained.
   * @throws {LoyaltyError} `resource_not_found`, or `access_denied` if the caller lacks `user:read`, `user_tag:read`, `pass:read`,
   *   or `webhook:manage`.
   */
  async dossier(userId: string): Promise<Dossier> {
    const { tenant } = this;
    const { organizationId } = tenant;
    const dossier = await tenant.read(function* (reader) {
      const user = yield* findUser(reader, organizationId, userId);
      return yield* readDossier(tenant, reader, user);
    }, true);
    await recordAuditedRead(tenant, { action: "user.handed_out", target: dossier.user.id });
    return dossier;
  }
}

function* getUser(tenant: Tenant, userId: string): Step<User> {
  const { reader, organizationId } = tenant;
  const user = yield* findUser(reader, organizationId, userId);
  yield* tenant.assertOwn(reader, user.id, "user", userId);
  return userOf(user);
}

/**
 * Finds the events about a user and the strings that identify the user, before the transaction that erases the user. Returns `null`
 * if the user is unknown.
 */
function readErasureInput(tenant: Tenant, userId: string): Promise<ErasureInput | null> {
  return tenant.read(
    function* (reader) {
      const user = yield* findUserOrNull(reader, userId);
      if (user === null) return null;
      const events = yield* findUserEvents(reader, user);
      return { userEvents: events, texts: yield* readPersonTexts(reader, user, events) };
    },
    true,
    true,
  );
}

interface ErasureInput {
  readonly userEvents: UserEvents;
  readonly texts: PersonTexts;
}

/** Returns the tenant to record as the actor, without its subject if users erase themselves. */
function redactOwnSubject(tenant: Tenant, erasureInput: ErasureInput | null): Tenant {
  const { visible } = tenant.actor;
  const isSelfErasure = visible.subject !== null && erasureInput?.texts.has(visible.subject) === true;
  return isSelfErasure ? tenant.actingAs(resolveActor({ ...visible, subject: null })) : tenant;
}
