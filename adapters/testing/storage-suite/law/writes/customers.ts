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
  nextUser: (tx, id) => tx.nextUser(id),
  *insertUser(tx, id, world) {
    const { ordinal, newest } = yield* tx.nextUser(id);
    const user = createNextUser(world, ordinal, newest?.createdAt ?? 0);
    yield* tx.insertUser(id, user, buildUserFolds(user));
  },
  *insertUsers(tx, id, world) {
    const { ordinal } = yield* tx.nextUser(id);
    const users = [0, 1, 2].slice(0, world.below(4)).map((at) => {
      const user = world.keep(world.users, someUser({ ...createUserFields(world), ordinal: ordinal + at }));
      return { user, folds: buildUserFolds(user) };
    });
    yield* tx.insertUsers(id, users);
  },
  *updateUser(tx, id, world) {
    const user = { ...world.one(world.users), ...createUserFields(world), ordinal: 77 };
    yield* tx.updateUser(id, user, buildUserFolds(user));
    world.keep(world.users, user);
  },
  deleteUser: (tx, id, world) => tx.deleteUser(id, world.one(world.users).id),
  *insertTag(tx, id, world) {
    const existingTags = yield* tx.listTags(id);
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
    world.keep(world.tags, yield* tx.insertTag(id, tag));
  },
  *updateTag(tx, id, world) {
    const tag = (yield* aTag(tx, id, world)) ?? someTag();
    yield* tx.updateTag(id, { ...tag, ...world.fieldsOf(tagRecord), id: tag.id, ordinal: tag.ordinal });
  },
  *removeTag(tx, id, world) {
    const tag = (yield* aTag(tx, id, world)) ?? someTag();
    const target = world.rarely(2) ? yield* aTag(tx, id, world) : null;
    const targetOrdinal = target === null || target.ordinal === tag.ordinal ? null : target.ordinal;
    const { subject } = world.one(actors);
    yield* tx.removeTag(id, someTagRemoval(tag, { targetOrdinal, createdAt: world.time(), subject }));
  },
  *endTagRemoval(tx, id, world) {
    const removals = yield* tx.tagRemovals(id);
    if (removals.length === 0) return;
    const { ordinal } = world.one(removals);
    const holders = yield* tx.usersOfTag(id, ordinal, -1, 100);
    yield* tx.unassignUsers(
      id,
      ordinal,
      holders.map((user) => user.ordinal),
    );
    yield* tx.endTagRemoval(id, ordinal);
  },
  *assignTag(tx, id, world) {
    const [user, tag] = [yield* aUser(tx, id, world), yield* aTag(tx, id, world)];
    if (user === null || tag === null) return;
    yield* tx.assignTag(id, someAssignment(user, tag, { id: world.id(), createdAt: world.time() }));
  },
  *assignTags(tx, id, world) {
    const assignments = [];
    for (let count = world.below(4); count > 0; count -= 1) {
      const [user, tag] = [yield* aUser(tx, id, world), yield* aTag(tx, id, world)];
      if (user !== null && tag !== null)
        assignments.push(someAssignment(user, tag, { id: world.id(), createdAt: world.time() }));
    }
    yield* tx.assignTags(id, assignments);
  },
  *unassignTag(tx, id, world) {
    const [user, tag] = [yield* aUser(tx, id, world), yield* aTag(tx, id, world)];
    const tags = user === null ? [] : yield* tx.tagsOfUser(id, user.ordinal);
    const chosenTag = tags.length > 0 && !world.rarely(4) ? world.one(tags) : tag;
    yield* tx.unassignTag(id, user?.ordinal ?? 99, chosenTag?.ordinal ?? 99);
  },
  *unassignUsers(tx, id, world) {
    const tag = world.one([(yield* aTag(tx, id, world)) ?? someTag(), ...(yield* tx.tagRemovals(id))]);
    yield* tx.unassignUsers(id, tag.ordinal, world.some([0, 1, 2, 3, 4, 5, 99], 6));
  },
  rebuildTagSets: (tx, id) => tx.rebuildTagSets(id),
} satisfies Partial<Record<WriteName, Write>>;
