import { type Step, succeedStep } from "../../base/concurrency/step.js";
import type { CountableKind } from "../../storage/counts.js";
import type { PassHolder, PassToInsert, StoredPass } from "../../storage/passes.js";
import {
  type ConflictingKey,
  StorageConflict,
  type StorageTransaction,
} from "../../storage/storage-adapter.js";
import type { StoredSubscription } from "../../storage/subscriptions.js";
import type { NewTag, StoredAssignment, StoredTag, TagWithMerging } from "../../storage/tags.js";
import type { StoredUser, UserFolds, UserSequence, UserToInsert } from "../../storage/users.js";
import { buildUserFolds } from "../user-writes.js";

/** First ordinal of users and tags that a trial adds, above any ordinal in storage. */
const FIRST_TRIAL_ORDINAL = 2 ** 40;

/**
 * Holds the changes that a dry run would have written. Each batch runs in a transaction that is rolled back, so storage never
 * contains the changes from earlier batches.
 */
export class Trial {
  readonly users = new Map<string, StoredUser>();
  readonly byEmail = new Map<string, StoredUser>();
  readonly byExternalId = new Map<string, StoredUser>();
  /** Tags that the dry run has created, keyed by slug. */
  readonly tags = new Map<string, TagWithMerging>();
  /** Tag assignments that the dry run has made, keyed by the ordinals of the user and the tag. */
  readonly assignedKeys = new Map<string, true>();
  /** Subscriptions that the dry run has changed, keyed by the user's ID. */
  readonly subscriptions = new Map<string, StoredSubscription>();
  /** Passes that the dry run has created, keyed by code. */
  readonly passes = new Map<string, StoredPass>();
  readonly passesOfUsers = new Map<string, readonly StoredPass[]>();
  /** The last user created in the dry run, or `null` if none has been created yet. */
  newest: StoredUser | null = null;
  #undoSteps: (() => void)[] = [];

  /**
   * Returns a view of a batch's transaction that includes the changes from earlier batches and redirects the import's writes to
   * this trial.
   */
  wrap(tx: StorageTransaction): StorageTransaction {
    // Storage may retry a batch, so the changes of the previous attempt are undone first.
    for (const undo of this.#undoSteps.splice(0).reverse()) undo();
    const trialTransaction = new TrialTransaction(this, tx);
    return new Proxy(tx, {
      get(_, name) {
        const target = name in trialTransaction ? trialTransaction : tx;
        const member: unknown = Reflect.get(target, name);
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
  }

  /** Keeps the changes from the batch that just ended, so that later batches in the dry run see them. */
  commit(): void {
    this.#undoSteps = [];
  }

  set<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
    this.#recordUndo(map, key);
    map.set(key, value);
  }

  delete<Key, Value>(map: Map<Key, Value>, key: Key): void {
    this.#recordUndo(map, key);
    map.delete(key);
  }

  setNewest(user: StoredUser): void {
    const before = this.newest;
    this.#undoSteps.push(() => {
      this.newest = before;
    });
    this.newest = user;
  }

  #recordUndo<Key, Value>(map: Map<Key, Value>, key: Key): void {
    const before = map.get(key);
    this.#undoSteps.push(() => (before === undefined ? map.delete(key) : map.set(key, before)));
  }
}

/** The emails and external IDs that users already have. */
class UserKeyIndex {
  readonly #emails: Set<string | null>;
  readonly #externalIds: Set<string | null>;

  constructor(users: readonly StoredUser[]) {
    this.#emails = new Set(users.map((user) => buildUserFolds(user).email));
    this.#emails.delete(null);
    this.#externalIds = new Set(users.map(({ externalId }) => externalId));
    this.#externalIds.delete(null);
  }

  /** Returns which of a user's keys is taken, or `null` if neither is. */
  findConflict({ user, folds }: UserToInsert): ConflictingKey | null {
    if (this.#emails.has(folds.email)) return "email";
    return this.#externalIds.has(user.externalId) ? "externalId" : null;
  }

  add({ user, folds }: UserToInsert): void {
    if (folds.email !== null) this.#emails.add(folds.email);
    if (user.externalId !== null) this.#externalIds.add(user.externalId);
  }
}

/**
 * Replaces the storage calls that an import makes during a dry run. These are all of its writes and the reads that must see them.
 */
class TrialTransaction {
  constructor(
    private readonly trial: Trial,
    private readonly tx: StorageTransaction,
  ) {}

  *usersByEmail(emails: readonly string[]): Step<StoredUser[]> {
    const storedUsers = yield* this.tx.usersByEmail(emails);
    return this.mergeUsers(
      storedUsers,
      emails.map((email) => this.trial.byEmail.get(email)),
    );
  }

  *usersByExternalId(externalIds: readonly string[]): Step<StoredUser[]> {
    const storedUsers = yield* this.tx.usersByExternalId(externalIds);
    return this.mergeUsers(
      storedUsers,
      externalIds.map((id) => this.trial.byExternalId.get(id)),
    );
  }

  *findUserByEmail(email: string): Step<StoredUser | null> {
    return (yield* this.usersByEmail([email]))[0] ?? null;
  }

  *findUserByExternalId(externalId: string): Step<StoredUser | null> {
    return (yield* this.usersByExternalId([externalId]))[0] ?? null;
  }

  *nextUser(): Step<UserSequence> {
    const { newest } = this.trial;
    if (newest !== null) return { ordinal: newest.ordinal + 1, newest };
    return { ...(yield* this.tx.nextUser()), ordinal: FIRST_TRIAL_ORDINAL };
  }

  *insertUser(user: StoredUser, folds: UserFolds): Step<void> {
    yield* this.assertKeysFree({ user, folds });
    this.putUser({ user, folds });
    this.trial.setNewest(user);
  }

  *insertUsers(newUsers: readonly UserToInsert[]): Step<number> {
    const takenKeys = new UserKeyIndex(yield* this.readUsersWithKeys(newUsers));
    let count = 0;
    for (const item of newUsers) {
      if (takenKeys.findConflict(item) !== null) break;
      takenKeys.add(item);
      this.putUser(item);
      this.trial.setNewest(item.user);
      count += 1;
    }
    return count;
  }

  *updateUser(user: StoredUser, folds: UserFolds): Step<boolean> {
    yield* this.assertKeysFree({ user, folds });
    this.putUser({ user, folds });
    return true;
  }

  *findTag(slug: string): Step<TagWithMerging | null> {
    return this.trial.tags.get(slug) ?? (yield* this.tx.findTag(slug));
  }

  *insertTag(newTag: NewTag): Step<StoredTag> {
    if ((yield* this.findTag(newTag.slug)) !== null) throw new StorageConflict("slug");
    const tag = { ...newTag, ordinal: FIRST_TRIAL_ORDINAL + this.trial.tags.size, merging: 0 };
    this.trial.set(this.trial.tags, tag.slug, tag);
    return tag;
  }

  *countOf(kind: CountableKind): Step<number> {
    const count = yield* this.tx.countOf(kind);
    return kind === "tags" ? count + this.trial.tags.size : count;
  }

  *assignTags(assignments: readonly StoredAssignment[]): Step<StoredAssignment[]> {
    const { assignedKeys: assigned } = this.trial;
    const newAssignments = assignments.filter((assignment) => !assigned.has(buildAssignmentKey(assignment)));
    // Storage can check the pairs whose user and tag it knows. Its own writes are undone when the batch is rolled back.
    const storableAssignments = newAssignments.filter(
      (assignment) => Math.max(assignment.userOrdinal, assignment.tagOrdinal) < FIRST_TRIAL_ORDINAL,
    );
    const insertedIds = new Set((yield* this.tx.assignTags(storableAssignments)).map(({ id }) => id));
    const storedIds = new Set(storableAssignments.map(({ id }) => id));
    for (const assignment of newAssignments) this.trial.set(assigned, buildAssignmentKey(assignment), true);
    return newAssignments.filter(({ id }) => insertedIds.has(id) || !storedIds.has(id));
  }

  *findSubscription(userId: string): Step<StoredSubscription | null> {
    return (yield* this.subscriptionsOf([userId]))[0] ?? null;
  }

  *subscriptionsOf(userIds: readonly string[]): Step<StoredSubscription[]> {
    const { subscriptions } = this.trial;
    const otherIds = userIds.filter((id) => !subscriptions.has(id));
    const otherSubscriptions = yield* this.tx.subscriptionsOf(otherIds);
    return [...otherSubscriptions, ...userIds.flatMap((id) => subscriptions.get(id) ?? [])];
  }

  *putSubscription(subscription: StoredSubscription): Step<void> {
    this.trial.set(this.trial.subscriptions, subscription.userId, subscription);
    yield* succeedStep(undefined);
  }

  *passesByCode(codes: readonly string[]): Step<StoredPass[]> {
    const passes = yield* this.tx.passesByCode(codes);
    return [...passes, ...codes.flatMap((code) => this.trial.passes.get(code) ?? [])];
  }

  *passesOfUsers(users: readonly PassHolder[]): Step<StoredPass[]> {
    const storedUsers = users.filter(({ ordinal }) => ordinal < FIRST_TRIAL_ORDINAL);
    const passes = yield* this.tx.passesOfUsers(storedUsers);
    return [...passes, ...users.flatMap(({ id }) => this.trial.passesOfUsers.get(id) ?? [])];
  }

  *insertPasses(newPasses: readonly PassToInsert[]): Step<void> {
    const { passes, passesOfUsers } = this.trial;
    for (const { pass } of newPasses) {
      this.trial.set(passes, pass.code, pass);
      this.trial.set(passesOfUsers, pass.userId, [...(passesOfUsers.get(pass.userId) ?? []), pass]);
    }
    yield* succeedStep(undefined);
  }

  /** Merges stored users with the trial's users, using the trial's version of each. */
  private mergeUsers(
    storedUsers: readonly StoredUser[],
    trialUsers: readonly (StoredUser | undefined)[],
  ): StoredUser[] {
    const { users } = this.trial;
    const candidates = [
      ...storedUsers.filter(({ id }) => !users.has(id)),
      ...trialUsers.filter((user) => user !== undefined),
    ];
    return [...new Set(candidates)].sort((a, b) => a.ordinal - b.ordinal);
  }

  private *readUsersWithKeys(newUsers: readonly UserToInsert[]): Step<StoredUser[]> {
    const byEmail = yield* this.usersByEmail(newUsers.flatMap(({ folds }) => folds.email ?? []));
    const externalIds = newUsers.flatMap(({ user }) => user.externalId ?? []);
    return [...byEmail, ...(yield* this.usersByExternalId(externalIds))];
  }

  /** @throws {StorageConflict} if another user has one of the keys. */
  private *assertKeysFree(newUser: UserToInsert): Step<void> {
    const conflicting = (yield* this.readUsersWithKeys([newUser])).filter(({ id }) => id !== newUser.user.id);
    const conflict = new UserKeyIndex(conflicting).findConflict(newUser);
    if (conflict !== null) throw new StorageConflict(conflict);
  }

  private putUser({ user, folds }: UserToInsert): void {
    const { trial } = this;
    const before = trial.users.get(user.id);
    if (before !== undefined) {
      const { email } = buildUserFolds(before);
      if (email !== null) trial.delete(trial.byEmail, email);
      if (before.externalId !== null) trial.delete(trial.byExternalId, before.externalId);
    }
    trial.set(trial.users, user.id, user);
    if (folds.email !== null) trial.set(trial.byEmail, folds.email, user);
    if (user.externalId !== null) trial.set(trial.byExternalId, user.externalId, user);
  }
}

function buildAssignmentKey({ userOrdinal, tagOrdinal }: StoredAssignment): string {
  return `${userOrdinal} ${tagOrdinal}`;
}
