import { done, type Step } from "../concurrency/step.js";
import type { FactKind } from "../segments/facts.js";
import { methodsOf } from "../storage/methods.js";
import type {
  PassToInsert,
  PassWithOwner,
  StoredPass,
  StoredStampCard,
  StoredStampEntry,
} from "../storage/passes.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import type { StoredSubscription } from "../storage/subscriptions.js";
import type { NewTag, StoredAssignment, StoredTag } from "../storage/tags.js";
import type { StoredTemplate } from "../storage/templates.js";
import type { StoredUser, UserFolds, UserToInsert } from "../storage/users.js";
import type { StoredWalletDevice, WalletDeviceKey } from "../storage/wallets.js";
import type { JudgedSegment } from "./judged-segments.js";

/** Storage takes at most this many ids at a time. */
const MOST_IDS = 1_000;

type Call<Name extends keyof StorageTransaction> = StorageTransaction[Name];

/** Sees the facts of customers that writes touch. */
export interface FactWatch {
  readonly organizationId: string;
  /** The segments that read such facts. */
  readers(kind: FactKind): Step<readonly JudgedSegment[]>;
  /** The segments that assigning or unassigning some tags may move somebody into or out of. */
  movedByTags(slugs: ReadonlySet<string>): Step<readonly JudgedSegment[]>;
  /**
   * Sees users whose facts of a kind are about to change.
   * @param find gives them; it is not called where that moves nobody.
   * @param among the segments that the write may move somebody into or out of; all that read such facts unless given.
   */
  touch(
    kind: FactKind,
    find: () => Step<readonly StoredUser[]>,
    among?: readonly JudgedSegment[],
  ): Step<void>;
  /** Sees the customer of a pass whose card, and nothing else, is about to change. @param card as it will be. */
  touchCard(before: PassWithOwner, card: StoredStampCard): Step<void>;
  /** Sees users who have been added. */
  added(users: readonly StoredUser[]): Step<void>;
  /** Sees that a user is about to go. */
  removed(userId: string): Step<void>;
  /** Sees a write that makes a template known or unknown, which may move everybody. */
  aroundTemplate<T>(templateId: string, write: () => Step<T>): Step<T>;
}

/**
 * The writes that change what filters read: each says first whose facts it touches, and which. The other writes of the port move
 * nobody.
 */
export class WatchedWrites {
  /** The pass that was found last, until it changes: most changes of a card follow the look at it. */
  #pass: PassWithOwner | null = null;
  /** The slugs of the tags that were found or made, by ordinal. */
  readonly #slugs = new Map<number, string>();

  constructor(
    private readonly tx: StorageTransaction,
    private readonly watch: FactWatch,
  ) {}

  *findPass(organizationId: string, id: string): Step<StoredPass | null> {
    this.#pass = yield* this.tx.findPassWithOwner(organizationId, id);
    return this.#pass;
  }

  *findTag(organizationId: string, slug: string): Step<StoredTag | null> {
    const tag = yield* this.tx.findTag(organizationId, slug);
    if (tag !== null) this.#slugs.set(tag.ordinal, tag.slug);
    return tag;
  }

  *insertTag(organizationId: string, added: NewTag): Step<StoredTag> {
    const tag = yield* this.tx.insertTag(organizationId, added);
    this.#slugs.set(tag.ordinal, tag.slug);
    return tag;
  }

  *insertUser(organizationId: string, user: StoredUser, folds: UserFolds): Step<void> {
    yield* this.tx.insertUser(organizationId, user, folds);
    yield* this.watch.added([user]);
  }

  *insertUsers(organizationId: string, users: readonly UserToInsert[]): Step<number> {
    const count = yield* this.tx.insertUsers(organizationId, users);
    yield* this.watch.added(users.slice(0, count).map(({ user }) => user));
    return count;
  }

  *updateUser(organizationId: string, user: StoredUser, folds: UserFolds): Step<boolean> {
    yield* this.watch.touch("user", this.#users([user.id]));
    return yield* this.tx.updateUser(organizationId, user, folds);
  }

  *deleteUser(organizationId: string, id: string): Step<boolean> {
    yield* this.watch.removed(id);
    return yield* this.tx.deleteUser(organizationId, id);
  }

  *assignTag(organizationId: string, assignment: StoredAssignment): Step<void> {
    yield* this.#touchByTags([assignment.tagOrdinal], this.#usersAt([assignment.userOrdinal]));
    yield* this.tx.assignTag(organizationId, assignment);
  }

  *assignTags(organizationId: string, assignments: readonly StoredAssignment[]): Step<StoredAssignment[]> {
    yield* this.#touchByTags(
      assignments.map(({ tagOrdinal }) => tagOrdinal),
      this.#usersAt(assignments.map(({ userOrdinal }) => userOrdinal)),
    );
    return yield* this.tx.assignTags(organizationId, assignments);
  }

  *unassignTag(organizationId: string, userOrdinal: number, tagOrdinal: number): Step<boolean> {
    yield* this.#touchByTags([tagOrdinal], this.#usersAt([userOrdinal]));
    return yield* this.tx.unassignTag(organizationId, userOrdinal, tagOrdinal);
  }

  *unassignUsers(
    organizationId: string,
    tagOrdinal: number,
    userOrdinals: readonly number[],
  ): Step<number[]> {
    yield* this.#touchByTags([tagOrdinal], this.#usersAt(userOrdinals));
    return yield* this.tx.unassignUsers(organizationId, tagOrdinal, userOrdinals);
  }

  *deleteTag(organizationId: string, ordinal: number): Step<boolean> {
    const { tx } = this;
    const among = yield* this.#movedByTags([ordinal]);
    for (let after = -1; among.length > 0; ) {
      const users = yield* tx.usersOfTag(organizationId, ordinal, after, MOST_IDS);
      const last = users.at(-1);
      if (last === undefined) break;
      yield* this.watch.touch("tags", () => done(users), among);
      after = last.ordinal;
    }
    return yield* tx.deleteTag(organizationId, ordinal);
  }

  insertTemplate(organizationId: string, template: StoredTemplate): Step<void> {
    return this.watch.aroundTemplate(template.id, () => this.tx.insertTemplate(organizationId, template));
  }

  deleteTemplate(organizationId: string, id: string): Step<boolean> {
    return this.watch.aroundTemplate(id, () => this.tx.deleteTemplate(organizationId, id));
  }

  *insertPass(organizationId: string, pass: StoredPass): Step<void> {
    this.#pass = null;
    yield* this.watch.touch("passes", this.#users([pass.userId]));
    yield* this.tx.insertPass(organizationId, pass);
  }

  *insertPasses(organizationId: string, passes: readonly PassToInsert[]): Step<void> {
    this.#pass = null;
    yield* this.watch.touch("passes", this.#users([...new Set(passes.map(({ pass }) => pass.userId))]));
    yield* this.tx.insertPasses(organizationId, passes);
  }

  *updateInstallation(...given: Parameters<Call<"updateInstallation">>): Step<boolean> {
    const [, passId] = given;
    yield* this.watch.touch("passes", this.#holder(passId));
    this.#pass = null;
    return yield* this.tx.updateInstallation(...given);
  }

  *deletePass(organizationId: string, passId: string): Step<boolean> {
    yield* this.watch.touch("passes", this.#holder(passId));
    this.#pass = null;
    return yield* this.tx.deletePass(organizationId, passId);
  }

  *recordStamps(organizationId: string, card: StoredStampCard, entry: StoredStampEntry): Step<void> {
    const { passId } = entry;
    const known = this.#pass;
    this.#pass = null;
    const before = known?.id === passId ? known : yield* this.#heldPass(organizationId, passId);
    if (before !== null) yield* this.watch.touchCard(before, card);
    yield* this.tx.recordStamps(organizationId, card, entry);
  }

  *putSubscription(organizationId: string, subscription: StoredSubscription): Step<void> {
    yield* this.watch.touch("subscription", this.#users([subscription.userId]));
    yield* this.tx.putSubscription(organizationId, subscription);
  }

  *putWalletDevice(organizationId: string, device: StoredWalletDevice): Step<void> {
    yield* this.watch.touch("devices", this.#holder(device.passId));
    yield* this.tx.putWalletDevice(organizationId, device);
  }

  *deleteWalletDevice(organizationId: string, key: WalletDeviceKey): Step<boolean> {
    yield* this.watch.touch("devices", this.#holder(key.passId));
    return yield* this.tx.deleteWalletDevice(organizationId, key);
  }

  *deleteWalletCard(organizationId: string, passId: string): Step<boolean> {
    yield* this.watch.touch("devices", this.#holder(passId));
    return yield* this.tx.deleteWalletCard(organizationId, passId);
  }

  /** The pass; `null` where no segment reads passes. */
  *#heldPass(organizationId: string, passId: string): Step<PassWithOwner | null> {
    if ((yield* this.watch.readers("passes")).length === 0) return null;
    return yield* this.tx.findPassWithOwner(organizationId, passId);
  }

  *#touchByTags(ordinals: readonly number[], find: () => Step<readonly StoredUser[]>): Step<void> {
    const among = yield* this.#movedByTags(ordinals);
    if (among.length > 0) yield* this.watch.touch("tags", find, among);
  }

  *#movedByTags(ordinals: readonly number[]): Step<readonly JudgedSegment[]> {
    const slugs = new Set<string>();
    for (const ordinal of new Set(ordinals)) {
      const slug = this.#slugs.get(ordinal);
      if (slug === undefined) return yield* this.watch.readers("tags");
      slugs.add(slug);
    }
    return yield* this.watch.movedByTags(slugs);
  }

  #users(ids: readonly string[]): () => Step<StoredUser[]> {
    const { tx, watch } = this;
    const [only, another] = ids;
    if (only === undefined || another !== undefined) return () => tx.usersById(watch.organizationId, ids);
    return function* () {
      const user = yield* tx.findUser(watch.organizationId, only);
      return user === null ? [] : [user];
    };
  }

  #usersAt(ordinals: readonly number[]): () => Step<StoredUser[]> {
    const { tx, watch } = this;
    return () => tx.usersByOrdinal(watch.organizationId, [...new Set(ordinals)]);
  }

  /** The user of a pass; nobody for one that is revoked. */
  #holder(passId: string): () => Step<StoredUser[]> {
    const { tx, watch } = this;
    return function* () {
      const pass = yield* tx.findPass(watch.organizationId, passId);
      const user = pass === null ? null : yield* tx.findUser(watch.organizationId, pass.userId);
      return user === null ? [] : [user];
    };
  }
}

interface Watched {
  readonly tx: StorageTransaction;
  readonly writes: WatchedWrites;
}

type WatchedTransaction = new (on: Watched) => StorageTransaction;

/** By the prototypes of the transactions: all that have the same one have the same methods. */
const watchedClasses = new WeakMap<object, WatchedTransaction>();

/** The transaction, with its watched writes in place of its own. */
export function watchedTransaction(tx: StorageTransaction, writes: WatchedWrites): StorageTransaction {
  const prototype: object = Object.getPrototypeOf(tx);
  let Class = watchedClasses.get(prototype);
  if (Class === undefined) {
    Class = watchedClass(tx);
    watchedClasses.set(prototype, Class);
  }
  return new Class({ tx, writes });
}

/** Each change makes an object of it: a proxy would take longer for each call than the call. */
function watchedClass(tx: StorageTransaction): WatchedTransaction {
  const own = new Set(Object.getOwnPropertyNames(WatchedWrites.prototype));
  const all = methodNamesOf(tx).map((name) => [
    name,
    own.has(name)
      ? ({ writes }: Watched, ...args: never[]) => called(writes, name, args)
      : (on: Watched, ...args: never[]) => called(on.tx, name, args),
  ]);
  // The same names, with functions of the same types.
  return methodsOf<StorageTransaction, Watched>(Object.fromEntries(all));
}

function called(on: WatchedWrites | StorageTransaction, name: string, args: never[]): Step<unknown> {
  return Reflect.apply(Reflect.get(on, name), on, args);
}

/** The names of an object's methods, those of its classes among them. */
function methodNamesOf(object: object): string[] {
  const names = new Set<string>();
  for (
    let at: object | null = object;
    at !== null && at !== Object.prototype;
    at = Object.getPrototypeOf(at)
  ) {
    for (const name of Object.getOwnPropertyNames(at))
      if (name !== "constructor" && typeof Reflect.get(object, name) === "function") names.add(name);
  }
  return [...names];
}
