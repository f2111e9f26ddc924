import fc from "fast-check";
import { collected } from "../kit/collected.js";
import { tagFilters } from "../properties/arbitraries.js";
import { mostly, paging, type Steps, slugs, steps, userId, userRef } from "./steps.js";

const slug = mostly(fc.constantFrom(...slugs), "none");
const fields = {
  name: fc.constantFrom("VIP", "vip!", "Gold", " High  Value ", "!!!"),
  description: fc.option(fc.constantFrom("Regulars", "")),
  color: fc.constantFrom("#abcdef", "#ABCDEF", "#000000"),
};

export const tagSteps: Steps[] = [
  steps(3, "tags.create", fc.record(fields, { requiredKeys: ["name"] }), (player, input) =>
    player.subject.tags.create(input),
  ),
  steps(2, "tags.update", fc.tuple(slug, fc.record(fields, { requiredKeys: [] })), (player, [tag, change]) =>
    player.subject.tags.update(tag, change),
  ),
  steps(1, "tags.delete", slug, (player, tag) => player.subject.tags.delete(tag)),
  steps(12, "tags.assign", fc.tuple(userRef, slug), (player, [user, tag]) =>
    player.subject.tags.assign(userId(player, user), tag),
  ),
  steps(4, "tags.unassign", fc.tuple(userRef, slug), (player, [user, tag]) =>
    player.subject.tags.unassign(userId(player, user), tag),
  ),
  steps(1, "tags.ofUser", userRef, (player, user) => player.subject.tags.ofUser(userId(player, user))),
  steps(2, "tags.users", slug, (player, tag) => collected(player.subject.tags.users(tag))),
  steps(6, "tags.query", fc.record({ filter: tagFilters([...slugs, "none"]), ...paging }), (player, query) =>
    player.subject.tags.query(query),
  ),
];
