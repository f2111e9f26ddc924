import { validationFailed } from "../base/errors.js";
import { parse } from "../base/parse.js";
import type { ChangeWork } from "../kernel/change.js";
import { findTag } from "../kernel/find.js";
import type { IdempotencyOptions } from "../kernel/idempotency/idempotent-call.js";
import type { Tenant } from "../kernel/tenant.js";
import { Bitmap } from "../storage/bitmap.js";
import { finishLater, removeTag } from "./removals.js";
import { userTagOf } from "./schema.js";
import { type MergeTag, mergeTagSchema, type TaggingResult } from "./tagging-schema.js";

/** Merges a tag into a target tag by assigning the target tag to the tag's users and then deleting the tag. */
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
