import { type CreateUser, LoyaltyError, type User } from "loyalty-kit";
import type { UserConflicts } from "../../src/base/errors.js";
import { compareCodePoints, foldText } from "../properties/oracle.js";
import type { Subject } from "./subject.js";
import { check, sortOldestFirst, type World } from "./world.js";

export function createModelUsers(world: World): Subject["users"] {
  return {
    create: async (input) => createUser(world, input, ""),
    get: async (userId) => world.getUser(userId),
    list: async function* () {
      yield* sortOldestFirst([...world.users.values()]);
    },
    update: async (userId, { email, name, phone, externalId, metadata }) => {
      checkUser({ email, name }, "");
      const before = world.getUser(userId);
      const updatedUser = {
        ...before,
        email: email ?? before.email,
        name: name === undefined ? before.name : (name?.trim() ?? null),
        phone: phone === undefined ? before.phone : phone,
        externalId: externalId === undefined ? before.externalId : externalId,
        metadata: metadata ?? before.metadata,
      };
      if (JSON.stringify(updatedUser) === JSON.stringify(before)) return before;
      assertUnique(world, updatedUser);
      const user = { ...updatedUser, ...world.touch(before) };
      world.users.set(user.id, user);
      world.recordEvent("user.updated", user);
      return user;
    },
    delete: async (userId) => {
      const { id } = world.getUser(userId);
      for (const pass of world.listPasses(id)) world.removePass(pass);
      world.unassign((assignment) => assignment.userId === id);
      world.users.delete(id);
      world.recordEvent("user.deleted", { id, object: "user" });
    },
  };
}

/** @param path prefix of the user's fields in the body, with a dot at its end. */
export function checkUser(
  { email, name }: { email?: string | null | undefined; name?: string | null | undefined },
  path: string,
) {
  check({ [`${path}email`]: email?.includes("@") === false, [`${path}name`]: name?.trim() === "" });
}

export function createUser(world: World, input: CreateUser, path: string): User {
  checkUser(input, path);
  const { email = null, name, phone = null, externalId = null, metadata = {} } = input;
  check({ [`${path}email`]: email === null });
  const fields = { object: "user" as const, email, name: name?.trim() ?? null, phone, externalId, metadata };
  assertUnique(world, { id: "", email, externalId });
  const user = { id: world.createId("usr"), ...fields, ...world.createUserTimestamps() };
  world.users.set(user.id, user);
  world.recordEvent("user.created", user);
  return user;
}

function assertUnique(
  world: World,
  { id, email, externalId }: Pick<User, "id" | "email" | "externalId">,
): void {
  const others = [...world.users.values()].filter((user) => user.id !== id);
  const conflicts: UserConflicts = {
    ...(email !== null &&
      others.some((user) => user.email !== null && foldText(user.email) === foldText(email)) && {
        email_already_exists: [email] as const,
      }),
    ...(externalId !== null &&
      others.some((user) => user.externalId === externalId) && {
        external_id_already_exists: [externalId] as const,
      }),
  };
  if (Object.keys(conflicts).length > 0) throw new LoyaltyError({ code: "user_already_exists", conflicts });
}

export function createModelContacts(world: World): Subject["contacts"] {
  return {
    list: async (query = {}) => {
      const {
        page = 0,
        size = 50,
        sort = "createdAt,desc",
        search = "",
        templateId,
        includeStamps = false,
      } = query;
      const { minStamps = 0, maxStamps = 100 } = query;
      const listProgress = (user: User) =>
        world.listPasses(user.id).flatMap(({ id }) => {
          const state = world.cards.get(id)?.state;
          return state === undefined ? [] : [toProgress(state)];
        });
      const found = [...world.users.values()].filter(
        (user) =>
          [user.email, user.name, user.phone, user.externalId].some(
            (text) => text !== null && foldText(text).includes(foldText(search)),
          ) &&
          (templateId === undefined ||
            listProgress(user).some(
              (card) =>
                card.templateId === templateId &&
                card.currentStamps >= minStamps &&
                card.currentStamps <= maxStamps,
            )),
      );
      const content = found
        .sort(compareBy(sort))
        .slice(page * size, (page + 1) * size)
        .map((user) => {
          const { metadata: _metadata, ...shownUser } = user;
          return {
            ...shownUser,
            object: "contact" as const,
            passInfos: world.listPasses(user.id).map(({ id, templateId }) => ({ templateId, passId: id })),
            ...((includeStamps || templateId !== undefined) && { stampProgress: listProgress(user) }),
          };
        });
      return {
        content,
        totalElements: found.length,
        totalPages: Math.ceil(found.length / size),
        number: page,
        size,
      };
    },
  };
}

function compareBy(sort: string): (a: User, b: User) => number {
  const [field, direction] = sort.split(",");
  const sign = direction === "asc" ? 1 : -1;
  const sortKey = (user: User) => {
    switch (field) {
      case "email":
      case "name":
      case "externalId":
        return user[field];
      default:
        return field === "updatedAt" ? user.updatedAt : user.createdAt;
    }
  };
  return (a, b) => {
    const [x, y] = [sortKey(a), sortKey(b)];
    if (x !== null && y !== null && foldText(x) !== foldText(y))
      return sign * compareCodePoints(foldText(x), foldText(y));
    if ((x === null) !== (y === null)) return x === null ? 1 : -1;
    return sign * compareCodePoints(a.id, b.id);
  };
}

/** Returns what contacts and passes show of a stamp card. */
export function toProgress({
  templateId,
  walletPassId,
  currentStamps,
  maxStamps,
  timesCompleted,
}: {
  readonly templateId: string;
  readonly walletPassId: string;
  readonly currentStamps: number;
  readonly maxStamps: number;
  readonly timesCompleted: number;
}) {
  return { templateId, passId: walletPassId, currentStamps, maxStamps, timesCompleted };
}
