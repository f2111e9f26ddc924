import { isFound } from "../properties/oracle.js";
import type { Subject } from "./subject.js";
import { check, oldestFirst, refuse, type World } from "./world.js";

export function modelTags(world: World): Subject["tags"] {
  const slugsOf = (userId: string) =>
    new Set(world.assignments.filter((each) => each.userId === userId).map(({ slug }) => slug));
  const everybody = () => oldestFirst([...world.users.values()]);
  return {
    create: async ({ name, description = null, color = "#64748B" }) => {
      check({ name: !/[a-z0-9]/i.test(name) });
      const slug = name
        .toLowerCase()
        .split(/[^a-z0-9]+/)
        .filter(Boolean)
        .join("-");
      if (world.tags.has(slug)) refuse("user_tag_already_exists", [slug]);
      const fields = {
        object: "UserTag" as const,
        name: name.trim(),
        slug,
        description,
        color: color.toUpperCase(),
      };
      const tag = { id: world.id("utag"), ...fields, ...world.born() };
      world.tags.set(slug, tag);
      world.tell("user_tag.created", tag);
      return tag;
    },
    list: async () => oldestFirst([...world.tags.values()]),
    get: async (slug) => world.tag(slug),
    update: async (slug, { name, description, color }) => {
      check({ name: name?.trim() === "" });
      const before = world.tag(slug);
      const changed = {
        ...before,
        name: name?.trim() ?? before.name,
        description: description === undefined ? before.description : description,
        color: color?.toUpperCase() ?? before.color,
      };
      if (JSON.stringify(changed) === JSON.stringify(before)) return before;
      const tag = { ...changed, ...world.changedAt(before) };
      world.tags.set(slug, tag);
      world.tell("user_tag.updated", tag);
      return tag;
    },
    delete: async (slug) => {
      const userTag = world.tag(slug);
      for (const { id } of everybody()) {
        const removed = world.unassign((each) => each.userId === id && each.slug === slug);
        if (removed.length > 0) world.tell("user_tag.unassigned", { userId: id, userTag });
      }
      world.tags.delete(slug);
      world.tell("user_tag.deleted", userTag);
    },
    assign: async (userId, slug) => {
      const user = world.user(userId);
      const userTag = world.tag(slug);
      if (slugsOf(user.id).has(slug)) refuse("user_tag_already_assigned", [slug]);
      const assignment = { id: world.id("uta"), ...world.born() };
      world.assignments.push({ ...assignment, userId: user.id, slug });
      world.tell("user_tag.assigned", { userId: user.id, userTag });
      return { ...assignment, object: "UserTagAssignment", userTag };
    },
    unassign: async (userId, slug) => {
      const user = world.user(userId);
      const userTag = world.tag(slug);
      const removed = world.unassign((each) => each.userId === user.id && each.slug === slug);
      if (removed.length === 0) refuse("resource_not_found");
      world.tell("user_tag.unassigned", { userId: user.id, userTag });
    },
    ofUser: async (userId) => {
      const { id } = world.user(userId);
      return oldestFirst(world.assignments.filter((each) => each.userId === id)).map(({ slug }) =>
        world.tag(slug),
      );
    },
    users: async function* (slug) {
      world.tag(slug);
      yield* everybody().filter(({ id }) => slugsOf(id).has(slug));
    },
    query: async ({ filter, page = 0, size = 20 }) => {
      const found = everybody().filter(({ id }) => isFound(slugsOf(id), filter));
      const content = found.slice(page * size, (page + 1) * size);
      const totalPages = Math.ceil(found.length / size);
      return {
        content,
        totalElements: found.length,
        totalPages,
        number: page,
        size,
        first: page === 0,
        last: page >= totalPages - 1,
        empty: content.length === 0,
      };
    },
    verifyIndex: async () => ({ checked: world.tags.size + 1, wrong: [] }),
  };
}
