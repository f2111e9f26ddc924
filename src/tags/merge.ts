import { invalid } from "../errors.js";
import type { Once } from "../idempotency/idempotent-call.js";
import { parse } from "../resources/parse.js";
import { userTagOf } from "../resources/tag.js";
import { type MergeTag, mergeTagSchema, type TaggingResult } from "../resources/tagging.js";
import { USER_BATCH } from "../tenant/batches.js";
import type { Work } from "../tenant/change.js";
import { findTag } from "../tenant/find.js";
import type { Tenant } from "../tenant/tenant.js";
import { isStorable } from "../values/text.js";
import { assigned, findsMany } from "./bulk-tagging.js";

/** Gives the users of one tag another, and deletes the first: all of it in one transaction. */
export function mergeTags(tenant: Tenant, slug: string, input: MergeTag & Once): Promise<TaggingResult> {
  const { organizationId } = tenant;
  const { into } = parse(mergeTagSchema, input);
  if (into === slug) throw invalid({ into: "must be another tag" });
  const work: Work<TaggingResult> = function* (tx, record, flush) {
    const [from, target] = [
      yield* findTag(tx, organizationId, slug),
      yield* findTag(tx, organizationId, into),
    ];
    const [userTag, kept] = [userTagOf(from), userTagOf(target)];
    const result = { changed: 0, unchanged: 0 };
    for (let after = -1; ; ) {
      const users = yield* tx.usersOfTag(organizationId, from.ordinal, after, USER_BATCH);
      const last = users.at(-1);
      if (last === undefined) break;
      after = last.ordinal;
      const ordinals = users.map(({ ordinal }) => ordinal);
      yield* tx.unassignUsers(organizationId, from.ordinal, ordinals);
      const newcomers = yield* assigned(tenant, tx, target, users);
      for (const { id, ordinal } of users) {
        record("user_tag.unassigned", { userId: id, userTag });
        if (newcomers.has(ordinal)) record("user_tag.assigned", { userId: id, userTag: kept });
      }
      result.changed += newcomers.size;
      result.unchanged += users.length - newcomers.size;
      yield* flush();
    }
    yield* tx.deleteTag(organizationId, from.ordinal);
    record("user_tag.merged", { userTag, into: kept, ...result });
    record("user_tag.deleted", userTag);
    return result;
  };
  const isLarge = async () =>
    isStorable(slug) && findsMany(tenant, { operator: "AND", conditions: [{ slug }] });
  return tenant.change(["tags.merge", slug, input], work, isLarge);
}
