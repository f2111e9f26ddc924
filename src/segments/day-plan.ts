import type { Step } from "../concurrency/step.js";
import { zoneOf } from "../resources/settings.js";
import type { StoredSegment } from "../storage/saved-segments.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import { compileMembershipTest, type MembershipTest } from "./customer-membership.js";
import { type FactKind, listFactKinds } from "./facts.js";
import { planFilter, templatesIn } from "./plan.js";
import { buildSavedFilters } from "./saved-filters.js";

/** The segments that emit events, compiled for the day that begins at a specific midnight. */
export interface DayPlan {
  /** The planned segments, oldest first. */
  readonly segments: readonly PlannedSegment[];
  /** The kinds of facts, other than tags, on which membership depends. */
  readonly kinds: ReadonlySet<FactKind>;
  /** The slugs of the tags on which membership depends. */
  readonly slugs: readonly string[];
}

export interface PlannedSegment {
  readonly segment: StoredSegment;
  readonly isMember: MembershipTest;
}

/**
 * Compiles the segments that emit events for one day.
 * @param all all of the organization's segments, oldest first.
 */
export function* dayPlan(
  reader: StorageReader,
  organizationId: string,
  all: readonly StoredSegment[],
  at: number,
): Step<DayPlan> {
  const segments = buildSavedFilters(all);
  const namesTemplates = [...segments.values()].some((filter) => templatesIn(filter).size > 0);
  const templates = new Map(
    (namesTemplates ? yield* reader.listTemplates(organizationId) : []).map((each) => [each.id, each]),
  );
  const timeZone = zoneOf(yield* reader.findSettings(organizationId));
  const planned = all.flatMap((segment) => {
    const filter = segments.get(segment.slug);
    if (!segment.emitsEvents || filter === undefined) return [];
    return [{ segment, plan: planFilter(filter, { at, timeZone, templates, segments }) }];
  });
  const plans = planned.map(({ plan }) => plan);
  const kinds = new Set(listFactKinds(plans));
  kinds.delete("tags");
  return {
    segments: planned.map(({ segment, plan }) => ({ segment, isMember: compileMembershipTest(plan) })),
    kinds,
    slugs: [...new Set(plans.flatMap(({ tags }) => [...tags.values()]))],
  };
}
