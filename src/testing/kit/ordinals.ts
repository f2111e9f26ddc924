import type { SegmentSets } from "../../storage/segments.js";

/** The ordinals of all users and of each tag's. */
export function ordinalsIn({ users, tags }: SegmentSets) {
  return {
    users: users.slice(0, users.count()),
    tags: Object.fromEntries([...tags].map(([slug, set]) => [slug, set.slice(0, set.count())])),
  };
}
