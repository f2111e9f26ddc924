import { tagRecord } from "../../../../../src/storage/tags.js";
import { type StoredUser, userRecord } from "../../../../../src/storage/users.js";
import { buildUserFolds, someAssignment, someTag, someTagRemoval, someUser } from "../../kit/records.js";
import type { World } from "../world.js";
import { actors, aTag, aUser, newOrShared, type Write, type WriteName } from "./choosing.js";

function createUserFields(world: World): Partial<StoredUser> {
  const { id, createdAt, ...fields } = world.fieldsOf(userRecord);
  return {
    ...fields,
    email: world.rarely(5)
      ? (world.one(world.users).email?.toUpperCase() ?? null)
      : world.orNull(`${world.name()}@example.com`),
    externalId: world.rarely(5) ? world.one(world.users).externalId : world.orNull(world.name()),
  };
}

/** Returns the next user to insert: one that the other organization got after this organization's newest user, or a new one. */
function createNextUser(world: World, ordinal: number, newest: number): StoredUser {
  const shared = world.users.find(({ createdAt }) => createdAt > newest);
  if (shared !== undefined && world.rarely(2)) return { ...shared, ordinal };
  return world.keep(world.users, someUser({ ...createUserFields(world), ordinal }));
}

export const customerWrites = {
  nextUser: (tx) => tx.nextUser(),
  *insertUser(tx, world) {
    const { ordinal, newest } = yield* tx.nextUser();
    const user = createNextUser(world, ordinal, newest?.createdAt ?? 0);
    yield* tx.insertUser(user, buildUserFolds(user));
  },
  *insertUsers(tx, world) {
    const { ordinal } = yield* tx.nextUser();
    const users = [0, 1, 2].slice(0, world.below(4)).map((at) => {
      const user = world.keep(world.users, someUser({ ...createUserFields(world), ordinal: ordinal + at }));
      return { user, folds: buildUserFolds(user) };
    });
    yield* tx.insertUsers(users);
  },
  *updateUser(tx, world) {
    const user = { ...world.one(world.users), ...createUserFields(world), ordinal: 77 };
    yield* tx.updateUser(user, buildUserFolds(user));
    world.keep(world.users, user);
  },
  deleteUser: (tx, world) => tx.deleteUser(world.one(world.users).id),
  *insertTag(tx, world) {
    const existingTags = yield* tx.listTags();
    const isThere = function* (row: { id: string }) {
      return existingTags.some((tag) => tag.id === row.id);
    };
    const tag = yield* newOrShared(world, world.tags, isThere, () =>
      someTag({
        ...world.fieldsOf(tagRecord),
        id: world.id(),
        slug: world.rarely(3) ? world.one(world.tags).slug : world.name(),
      }),
    );
    world.keep(world.tags, yield* tx.insertTag(tag));
  },
  *updateTag(tx, world) {
    const tag = (yield* aTag(tx, world)) ?? someTag();
    yield* tx.updateTag({ ...tag, ...world.fieldsOf(tagRecord), id: tag.id, ordinal: tag.ordinal });
  },
  *removeTag(tx, world) {
    const tag = (yield* aTag(tx, world)) ?? someTag();
    const target = world.rarely(2) ? yield* aTag(tx, world) : null;
    const targetOrdinal = target === null || target.ordinal === tag.ordinal ? null : target.ordinal;
    const { subject } = world.one(actors);
    yield* tx.removeTag(someTagRemoval(tag, { targetOrdinal, createdAt: world.time(), subject }));
  },
  *endTagRemoval(tx, world) {
    const removals = yield* tx.tagRemovals();
    if (removals.length === 0) return;
    const { ordinal } = world.one(removals);
    const holders = yield* tx.usersOfTag(ordinal, -1, 100);
    yield* tx.unassignUsers(
      ordinal,
      holders.map((user) => user.ordinal),
    );
    yield* tx.endTagRemoval(ordinal);
  },
  *assignTag(tx, world) {
    const [user, tag] = [yield* aUser(tx, world), yield* aTag(tx, world)];
    if (user === null || tag === null) return;
    yield* tx.assignTag(someAssignment(user, tag, { id: world.id(), createdAt: world.time() }));
  },
  *assignTags(tx, world) {
    const assignments = [];
    for (let count = world.below(4); count > 0; count -= 1) {
      const [user, tag] = [yield* aUser(tx, world), yield* aTag(tx, world)];
      if (user !== null && tag !== null)
        assignments.push(someAssignment(user, tag, { id: world.id(), createdAt: world.time() }));
    }
    yield* tx.assignTags(assignments);
  },
  *unassignTag(tx, world) {
    const [user, tag] = [yield* aUser(tx, world), yield* aTag(tx, world)];
    const tags = user === null ? [] : yield* tx.tagsOfUser(user.ordinal);
    const chosenTag = tags.length > 0 && !world.rarely(4) ? world.one(tags) : tag;
    yield* tx.unassignTag(user?.ordinal ?? 99, chosenTag?.ordinal ?? 99);
  },
  *unassignUsers(tx, world) {
    const tag = world.one([(yield* aTag(tx, world)) ?? someTag(), ...(yield* tx.tagRemovals())]);
    yield* tx.unassignUsers(tag.ordinal, world.some([0, 1, 2, 3, 4, 5, 99], 6));
  },
  rebuildTagSets: (tx) => tx.rebuildTagSets(),
} satisfies Partial<Record<WriteName, Write>>;
