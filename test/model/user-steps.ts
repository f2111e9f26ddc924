import fc from "fast-check";
import {
  createSteps,
  emails,
  newUser,
  nth,
  paging,
  resolveUserId,
  type Steps,
  userFields,
  userRef,
} from "./steps.js";

const sorts = [
  "createdAt,asc",
  "createdAt,desc",
  "updatedAt,desc",
  "email,asc",
  "name,desc",
  "externalId,asc",
] as const;

const contactQuery = fc.record(
  {
    ...paging,
    sort: fc.constantFrom(...sorts),
    search: fc.constantFrom("a", "ADA", "%", "b@", "ZOE\u0308", "example"),
    template: nth,
    minStamps: fc.nat({ max: 3 }),
    includeStamps: fc.boolean(),
  },
  { requiredKeys: [] },
);

export const userSteps: Steps[] = [
  createSteps(6, "users.create", newUser, async (player, input) =>
    player.make("user", await player.subject.users.create(input)),
  ),
  createSteps(
    6,
    "users.update",
    fc.tuple(userRef, fc.record({ email: emails, ...userFields }, { requiredKeys: [] })),
    (player, [user, change]) => player.subject.users.update(resolveUserId(player, user), change),
  ),
  createSteps(1, "users.delete", userRef, (player, user) =>
    player.subject.users.delete(resolveUserId(player, user)),
  ),
  createSteps(4, "contacts.list", contactQuery, (player, { template, minStamps, ...query }) =>
    player.subject.contacts.list({
      ...query,
      ...(template !== undefined && { templateId: player.getId("template", template) }),
      ...(template !== undefined && minStamps !== undefined && { minStamps }),
    }),
  ),
];
