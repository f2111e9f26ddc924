import fc from "fast-check";
import { collect } from "../kit/collect.js";
import { arbitraryTagFilters } from "../properties/arbitraries.js";
import { createSteps, mostlyRight, paging, resolveUserId, type Steps, slugs, userRef } from "./steps.js";

const slug = mostlyRight(fc.constantFrom(...slugs), "none");
const fields = {
  name: fc.constantFrom("VIP", "vip!", "Gold", " High  Value ", "!!!"),
  description: fc.option(fc.constantFrom("Regulars", "")),
  color: fc.constantFrom("#abcdef", "#ABCDEF", "#000000"),
};

export const tagSteps: Steps[] = [
  createSteps(3, "tags.create", fc.record(fields, { requiredKeys: ["name"] }), (player, input) =>
    player.subject.tags.create(input),
  ),
  createSteps(
    2,
    "tags.update",
    fc.tuple(slug, fc.record(fields, { requiredKeys: [] })),
    (player, [tag, change]) => player.subject.tags.update(tag, change),
  ),
  createSteps(1, "tags.delete", slug, (player, tag) => player.subject.tags.delete(tag)),
  createSteps(12, "tags.assign", fc.tuple(userRef, slug), (player, [user, tag]) =>
    player.subject.tags.assign(resolveUserId(player, user), tag),
  ),
  createSteps(4, "tags.unassign", fc.tuple(userRef, slug), (player, [user, tag]) =>
    player.subject.tags.unassign(resolveUserId(player, user), tag),
  ),
  createSteps(1, "tags.ofUser", userRef, (player, user) =>
    player.subject.tags.ofUser(resolveUserId(player, user)),
  ),
  createSteps(2, "tags.users", slug, (player, tag) => collect(player.subject.tags.users(tag))),
  createSteps(
    6,
    "tags.query",
    fc.record({ filter: arbitraryTagFilters([...slugs, "none"]), ...paging }),
    (player, query) => player.subject.tags.query(query),
  ),
];
