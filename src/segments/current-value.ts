import { dayIn, startOfDay, startOfDayBefore } from "../base/values/calendar-days.js";
import { timestamp } from "../base/values/clock.js";
import { MAX_STORED_VISITS, type StoredStampCard } from "../storage/passes.js";
import type { CustomerFacts } from "./customer-facts.js";
import type { SegmentCondition } from "./filter-schema.js";
import { lastChange, type MatchSchedule } from "./match-schedule.js";
import { type PlanState, templateOfCards } from "./plan.js";

/** Returns the customer's current value for a condition, or `undefined` if the condition refers to a segment. */
export function findCurrentValue(
  condition: SegmentCondition,
  state: PlanState,
  facts: CustomerFacts,
): unknown {
  const { slug, stamps, rewards, completions, lastVisit, visits, joined } = condition;
  const { metadata, anniversary, field, wallet, subscription, language } = condition;
  const { user } = facts;
  const numbers = (templateId: string | undefined, numberOf: (card: StoredStampCard) => number) =>
    listCards(templateId, state, facts).map(numberOf);
  if (slug !== undefined) return facts.tags.has(slug);
  if (stamps !== undefined) return numbers(stamps.templateId, (card) => card.currentStamps);
  if (rewards !== undefined) return numbers(rewards.templateId, (card) => card.rewardsAvailable);
  if (completions !== undefined) return numbers(completions.templateId, (card) => card.timesCompleted);
  if (lastVisit !== undefined) {
    const [newest] = listVisits(lastVisit.templateId, state, facts);
    return newest === undefined ? null : timestamp(newest);
  }
  if (visits !== undefined) {
    const since = startOfDayBefore(state.timeZone, state.at, visits.days);
    const counted = listVisits(visits.templateId, state, facts).filter((visit) => visit >= since);
    return counted.slice(0, MAX_STORED_VISITS).map(timestamp);
  }
  if (joined !== undefined) return timestamp(user.createdAt);
  const path = metadata?.path ?? anniversary?.path;
  if (path !== undefined) return facts.metadataAt(path) ?? null;
  if (field !== undefined) return user[field.name] !== null;
  if (wallet !== undefined) return listPlatforms(wallet.templateId ?? null, facts);
  if (subscription !== undefined) return facts.subscription?.[`${subscription.channel}Status`] ?? "NONE";
  return language === undefined ? null : (facts.subscription?.language ?? null);
}

/**
 * Returns when a condition's result, or the value that the condition reads, last changed, either because the customer's data
 * changed or because time passed. Returns `null` if the stored data doesn't show when it changed.
 */
export function findSince(
  condition: SegmentCondition,
  course: MatchSchedule,
  state: PlanState,
  facts: CustomerFacts,
): number | null {
  const day = lastChange(course, dayIn(state.timeZone, state.at));
  const turn = day === null ? null : startOfDay(state.timeZone, day);
  const { user } = facts;
  if (condition.metadata === undefined && condition.anniversary === undefined) {
    const change = findValueChange(condition, state, facts);
    return change === null || turn === null ? change : Math.max(change, turn);
  }
  // The row stores when it last changed, but not which field.
  if (user.updatedAt === user.createdAt) return Math.max(user.createdAt, turn ?? 0);
  return turn !== null && turn >= user.updatedAt ? turn : null;
}

/** Returns when the value that a leaf reads was last changed. */
function findValueChange(condition: SegmentCondition, state: PlanState, facts: CustomerFacts): number | null {
  const { slug, lastVisit, visits, joined, field, subscription } = condition;
  const { user } = facts;
  if (slug !== undefined) return facts.tags.get(slug) ?? null;
  const visited = lastVisit ?? visits;
  if (visited !== undefined) return listVisits(visited.templateId, state, facts)[0] ?? null;
  if (joined !== undefined) return user.createdAt;
  if (field !== undefined) return user.updatedAt === user.createdAt ? user.createdAt : null;
  return subscription === undefined ? null : (facts.subscription?.[`${subscription.channel}At`] ?? null);
}

function listCards(templateId: string | undefined, state: PlanState, facts: CustomerFacts) {
  const asked = templateOfCards(templateId, state);
  return asked === undefined ? [] : facts.listCards(asked);
}

function listVisits(
  templateId: string | undefined,
  state: PlanState,
  facts: CustomerFacts,
): readonly number[] {
  const asked = templateOfCards(templateId, state);
  return asked === undefined ? [] : facts.listVisits(asked);
}

/** Returns the platforms on which a pass is installed; `other` for an unknown platform. */
function listPlatforms(templateId: string | null, facts: CustomerFacts): string[] {
  const platforms = new Set<string>();
  for (const { pass, platforms: known } of facts.listPasses(templateId)) {
    for (const platform of known) platforms.add(platform);
    if (known.length === 0 && pass.installationStatus === "INSTALLED") platforms.add("other");
  }
  return [...platforms].sort();
}
