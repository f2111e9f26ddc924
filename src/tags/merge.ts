import { validationFailed } from "../errors.js";
import type { IdempotencyOptions } from "../idempotency/idempotent-call.js";
import { parse } from "../resources/parse.js";
import { userTagOf } from "../resources/tag.js";
import { type MergeTag, mergeTagSchema, type TaggingResult } from "../resources/tagging.js";
import { Bitmap } from "../storage/bitmap.js";
import type { ChangeWork } from "../tenant/change.js";
import { findTag } from "../tenant/find.js";
import type { Tenant } from "../tenant/tenant.js";
import { finishLater, removeTag } from "./removals.js";

/** Merges a tag into a target tag: assigns the target to the tag's users, and deletes the tag. */
export async function mergeTags(
  tenant: Tenant,
  slug: string,
  input: MergeTag & IdempotencyOptions,
): Promise<TaggingResult> {
  const { organizationId } = tenant;
  const { into } = parse(mergeTagSchema, input);
  if (into === slug) throw validationFailed({ into: "must be a different tag" });
  const work: ChangeWork<TaggingResult> = function* (tx, record, flush) {
    const from = yield* findTag(tx, organizationId, slug);
    const target = yield* findTag(tx, organizationId, into);
    const { tags } = yield* tx.readTagSets(organizationId, [slug, into]);
    const [theirs, others] = [tags.get(slug) ?? Bitmap.empty, tags.get(into) ?? Bitmap.empty];
    const result = { changed: theirs.without(others).count(), unchanged: theirs.and(others).count() };
    const data = { userTag: userTagOf(from), into: userTagOf(target), ...result };
    yield* removeTag(tenant, tx, record, flush, from, { target, data });
    return result;
  };
  const result = await tenant.change(["tags.merge", slug, input], work);
  finishLater(tenant);
  return result;
}
