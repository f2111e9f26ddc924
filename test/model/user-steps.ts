import fc from "fast-check";
import { emails, newUser, nth, paging, type Steps, steps, userFields, userId, userRef } from "./steps.js";

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
  steps(6, "users.create", newUser, async (player, input) =>
    player.make("user", await player.subject.users.create(input)),
  ),
  steps(
    6,
    "users.update",
    fc.tuple(userRef, fc.record({ email: emails, ...userFields }, { requiredKeys: [] })),
    (player, [user, change]) => player.subject.users.update(userId(player, user), change),
  ),
  steps(1, "users.delete", userRef, (player, user) => player.subject.users.delete(userId(player, user))),
  steps(4, "contacts.list", contactQuery, (player, { template, minStamps, ...query }) =>
    player.subject.contacts.list({
      ...query,
      ...(template !== undefined && { templateId: player.id("template", template) }),
      ...(template !== undefined && minStamps !== undefined && { minStamps }),
    }),
  ),
];
