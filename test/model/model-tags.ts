import { matchesFilter } from "../properties/oracle.js";
import type { Subject } from "./subject.js";
import { check, sortOldestFirst, throwRefusal, type World } from "./world.js";

export function createModelTags(world: World): Subject["tags"] {
  const listSlugs = (userId: string) =>
    new Set(world.assignments.filter((each) => each.userId === userId).map(({ slug }) => slug));
  const listUsers = () => sortOldestFirst([...world.users.values()]);
  return {
    create: async ({ name, description = null, color = "#64748B" }) => {
      check({ name: !/[a-z0-9]/i.test(name) });
      const slug = name
        .toLowerCase()
        .split(/[^a-z0-9]+/)
        .filter(Boolean)
        .join("-");
      if (world.tags.has(slug)) throwRefusal("user_tag_already_exists", [slug]);
      const fields = {
        object: "UserTag" as const,
        name: name.trim(),
        slug,
        description,
        color: color.toUpperCase(),
      };
      const tag = { id: world.createId("utag"), ...fields, ...world.createTimestamps() };
      world.tags.set(slug, tag);
      world.recordEvent("user_tag.created", tag);
      return tag;
    },
    list: async () => sortOldestFirst([...world.tags.values()]),
    get: async (slug) => world.getTag(slug),
    update: async (slug, { name, description, color }) => {
      check({ name: name?.trim() === "" });
      const before = world.getTag(slug);
      const updatedTag = {
        ...before,
        name: name?.trim() ?? before.name,
        description: description === undefined ? before.description : description,
        color: color?.toUpperCase() ?? before.color,
      };
      if (JSON.stringify(updatedTag) === JSON.stringify(before)) return before;
      const tag = { ...updatedTag, ...world.touch(before) };
      world.tags.set(slug, tag);
      world.recordEvent("user_tag.updated", tag);
      return tag;
    },
    delete: async (slug) => {
      const userTag = world.getTag(slug);
      for (const { id } of listUsers()) {
        const removedAssignments = world.unassign((each) => each.userId === id && each.slug === slug);
        if (removedAssignments.length > 0) world.recordEvent("user_tag.unassigned", { userId: id, userTag });
      }
      world.tags.delete(slug);
      world.recordEvent("user_tag.deleted", userTag);
    },
    assign: async (userId, slug) => {
      const user = world.getUser(userId);
      const userTag = world.getTag(slug);
      if (listSlugs(user.id).has(slug)) throwRefusal("user_tag_already_assigned", [slug]);
      const assignment = { id: world.createId("uta"), ...world.createTimestamps() };
      world.assignments.push({ ...assignment, userId: user.id, slug });
      world.recordEvent("user_tag.assigned", { userId: user.id, userTag });
      return { ...assignment, object: "UserTagAssignment", userTag };
    },
    unassign: async (userId, slug) => {
      const user = world.getUser(userId);
      const userTag = world.getTag(slug);
      const removedAssignments = world.unassign((each) => each.userId === user.id && each.slug === slug);
      if (removedAssignments.length === 0) throwRefusal("resource_not_found");
      world.recordEvent("user_tag.unassigned", { userId: user.id, userTag });
    },
    ofUser: async (userId) => {
      const { id } = world.getUser(userId);
      return sortOldestFirst(world.assignments.filter((each) => each.userId === id)).map(({ slug }) =>
        world.getTag(slug),
      );
    },
    users: async function* (slug) {
      world.getTag(slug);
      yield* listUsers().filter(({ id }) => listSlugs(id).has(slug));
    },
    query: async ({ filter, page = 0, size = 20 }) => {
      const found = listUsers().filter(({ id }) => matchesFilter(listSlugs(id), filter));
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
