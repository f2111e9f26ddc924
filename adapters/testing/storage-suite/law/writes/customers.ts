import { tagRecord } from "../../../../../src/storage/tags.js";
import { type StoredUser, userRecord } from "../../../../../src/storage/users.js";
import { buildUserFolds, someAssignment, someTag, someTagRemoval, someUser } from "../../kit/records.js";
import type { World } from "../world.js";
import { actors, createOrShareRow, pickTag, pickUser, type Write, type WriteName } from "./choosing.js";

function createUserFields(world: World): Partial<StoredUser> {
  const { id, createdAt, ...fields } = world.createFields(userRecord);
  return {
    ...fields,
    email: world.oneIn(5)
      ? (world.pickOne(world.users).email?.toUpperCase() ?? null)
      : world.orNull(`${world.name()}@example.com`),
    externalId: world.oneIn(5) ? world.pickOne(world.users).externalId : world.orNull(world.name()),
  };
}

/** Returns the next user to insert: one that the other organization got after this organization's newest user, or a new one. */
function createNextUser(world: World, ordinal: number, newest: number): StoredUser {
  const shared = world.users.find(({ createdAt }) => createdAt > newest);
  if (shared !== undefined && world.oneIn(2)) return { ...shared, ordinal };
  return world.track(world.users, someUser({ ...createUserFields(world), ordinal }));
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
    const users = [0, 1, 2].slice(0, world.randomBelow(4)).map((at) => {
      const user = world.track(world.users, someUser({ ...createUserFields(world), ordinal: ordinal + at }));
      return { user, folds: buildUserFolds(user) };
    });
    yield* tx.insertUsers(users);
  },
  *updateUser(tx, world) {
    const user = { ...world.pickOne(world.users), ...createUserFields(world), ordinal: 77 };
    yield* tx.updateUser(user, buildUserFolds(user));
    world.track(world.users, user);
  },
  deleteUser: (tx, world) => tx.deleteUser(world.pickOne(world.users).id),
  *insertTag(tx, world) {
    const existingTags = yield* tx.listTags();
    const isStored = function* (row: { id: string }) {
      return existingTags.some((tag) => tag.id === row.id);
    };
    const tag = yield* createOrShareRow(world, world.tags, isStored, () =>
      someTag({
        ...world.createFields(tagRecord),
        id: world.id(),
        slug: world.oneIn(3) ? world.pickOne(world.tags).slug : world.name(),
      }),
    );
    world.track(world.tags, yield* tx.insertTag(tag));
  },
  *updateTag(tx, world) {
    const tag = (yield* pickTag(tx, world)) ?? someTag();
    yield* tx.updateTag({ ...tag, ...world.createFields(tagRecord), id: tag.id, ordinal: tag.ordinal });
  },
  *removeTag(tx, world) {
    const tag = (yield* pickTag(tx, world)) ?? someTag();
    const target = world.oneIn(2) ? yield* pickTag(tx, world) : null;
    const targetOrdinal = target === null || target.ordinal === tag.ordinal ? null : target.ordinal;
    const { subject } = world.pickOne(actors);
    yield* tx.removeTag(someTagRemoval(tag, { targetOrdinal, createdAt: world.time(), subject }));
  },
  *endTagRemoval(tx, world) {
    const removals = yield* tx.tagRemovals();
    if (removals.length === 0) return;
    const { ordinal } = world.pickOne(removals);
    const holders = yield* tx.usersOfTag(ordinal, -1, 100);
    yield* tx.unassignUsers(
      ordinal,
      holders.map((user) => user.ordinal),
    );
    yield* tx.endTagRemoval(ordinal);
  },
  *assignTag(tx, world) {
    const [user, tag] = [yield* pickUser(tx, world), yield* pickTag(tx, world)];
    if (user === null || tag === null) return;
    yield* tx.assignTag(someAssignment(user, tag, { id: world.id(), createdAt: world.time() }));
  },
  *assignTags(tx, world) {
    const assignments = [];
    for (let count = world.randomBelow(4); count > 0; count -= 1) {
      const [user, tag] = [yield* pickUser(tx, world), yield* pickTag(tx, world)];
      if (user !== null && tag !== null)
        assignments.push(someAssignment(user, tag, { id: world.id(), createdAt: world.time() }));
    }
    yield* tx.assignTags(assignments);
  },
  *unassignTag(tx, world) {
    const [user, tag] = [yield* pickUser(tx, world), yield* pickTag(tx, world)];
    const tags = user === null ? [] : yield* tx.tagsOfUser(user.ordinal);
    const chosenTag = tags.length > 0 && !world.oneIn(4) ? world.pickOne(tags) : tag;
    yield* tx.unassignTag(user?.ordinal ?? 99, chosenTag?.ordinal ?? 99);
  },
  *unassignUsers(tx, world) {
    const tag = world.pickOne([(yield* pickTag(tx, world)) ?? someTag(), ...(yield* tx.tagRemovals())]);
    yield* tx.unassignUsers(tag.ordinal, world.pickSome([0, 1, 2, 3, 4, 5, 99], 6));
  },
  rebuildTagSets: (tx) => tx.rebuildTagSets(),
} satisfies Partial<Record<WriteName, Write>>;
