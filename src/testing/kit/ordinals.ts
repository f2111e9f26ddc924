import type { TagSets } from "../../storage/tag-sets.js";

/** Returns the ordinals of all users, and of the users with each tag. */
export function ordinalsIn({ users, tags }: TagSets) {
  return {
    users: users.slice(0, users.count()),
    tags: Object.fromEntries([...tags].map(([slug, set]) => [slug, set.slice(0, set.count())])),
  };
}
