import { invalid } from "../errors.js";
import type { Once } from "../idempotency/idempotent-call.js";
import { parse } from "../resources/parse.js";
import { userTagOf } from "../resources/tag.js";
import { type MergeTag, mergeTagSchema, type TaggingResult } from "../resources/tagging.js";
import type { Work } from "../tenant/change.js";
import { findTag } from "../tenant/find.js";
import type { Tenant } from "../tenant/tenant.js";
import { assigned } from "./bulk-tagging.js";
import { type Holder, manyHolders, takeFromAll } from "./holders.js";

/** Gives the users of one tag another, and deletes the first: all of it in one transaction. */
export function mergeTags(tenant: Tenant, slug: string, input: MergeTag & Once): Promise<TaggingResult> {
  const { organizationId } = tenant;
  const { into } = parse(mergeTagSchema, input);
  if (into === slug) throw invalid({ into: "must be another tag" });
  let known: readonly Holder[] = [];
  const work: Work<TaggingResult> = function* (tx, record, flush) {
    const [from, target] = [
      yield* findTag(tx, organizationId, slug),
      yield* findTag(tx, organizationId, into),
    ];
    const [userTag, kept] = [userTagOf(from), userTagOf(target)];
    const result = { changed: 0, unchanged: 0 };
    yield* takeFromAll(tx, organizationId, from, known, function* (holders) {
      const newcomers = yield* assigned(tenant, tx, target, holders);
      for (const { id, ordinal } of holders) {
        record("user_tag.unassigned", { userId: id, userTag });
        if (newcomers.has(ordinal)) record("user_tag.assigned", { userId: id, userTag: kept });
      }
      result.changed += newcomers.size;
      result.unchanged += holders.length - newcomers.size;
      yield* flush();
    });
    yield* tx.deleteTag(organizationId, from.ordinal);
    record("user_tag.merged", { userTag, into: kept, ...result });
    record("user_tag.deleted", userTag);
    return result;
  };
  const isLarge = async () => {
    known = await manyHolders(tenant, slug);
    return known.length > 0;
  };
  return tenant.change(["tags.merge", slug, input], work, isLarge);
}
