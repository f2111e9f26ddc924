import type { TagSets } from "../../../../src/storage/tags.js";

/** Converts tag sets to arrays of ordinals: one for all users, and one per tag, keyed by slug. */
export function toOrdinals({ users, tags }: TagSets) {
  return {
    users: users.slice(0, users.count()),
    tags: Object.fromEntries([...tags].map(([slug, set]) => [slug, set.slice(0, set.count())])),
  };
}
