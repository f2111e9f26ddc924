import type { Step } from "../base/concurrency/step.js";
import type { Change } from "../kernel/tenant.js";
import type { StoredTag } from "../storage/tags.js";
import { type createTagSchema, DEFAULT_TAG_COLOR, toUserTag } from "./schema.js";

/** The validated input of `create`, with the slug. */
type NewTag = ReturnType<typeof createTagSchema.parse> & { readonly slug: string };

/**
 * Adds a tag in the caller's transaction.
 * @throws {StorageConflict} on `slug` if another tag has the same slug.
 */
export function* insertTag(
  { tenant, tx, record }: Change,
  { slug, name, description, color }: NewTag,
): Step<StoredTag> {
  const now = tenant.now();
  const tag = yield* tx.insertTag({
    id: tenant.newId("utag"),
    slug,
    name,
    description: description ?? null,
    color: color ?? DEFAULT_TAG_COLOR,
    createdAt: now,
    updatedAt: now,
  });
  record("user_tag.created", toUserTag(tag));
  return tag;
}
