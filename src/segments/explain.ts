import { isYieldDue, yieldIfDue } from "../base/concurrency/event-loop.js";
import type { Step } from "../base/concurrency/step.js";
import { dayIn, startOfDay, startOfDayBefore } from "../base/values/calendar-days.js";
import { timestamp, timestampOrNull } from "../base/values/clock.js";
import { MAX_STORED_VISITS, type StoredStampCard } from "../storage/passes.js";
import { type CustomerFacts, sumPoints, sumSpent } from "./customer-facts.js";
import type { ExplainedFilter, ExplainedLeaf } from "./explanation-schema.js";
import type { SegmentCondition, SegmentFilter } from "./filter-schema.js";
import {
  buildMatchSchedule,
  buildTimeline,
  combinedTimeline,
  isMatchedNow,
  lastChange,
  type MatchSchedule,
  type Timeline,
  type TimelineSpan,
} from "./match-schedule.js";
import { findPointRange, type PlanState, templateOfCards, templateOfPoints } from "./plan.js";

/**
 * The number of days in which yearly schedules show all their behavior: the years before, during and after a leap year, even around
 * a century year that isn't a leap year.
 */
const PERIOD_DAYS = 12 * 366;

/**
 * Explains, condition by condition, how a validated filter evaluates for one customer.
 * @param facts the customer's facts. They must include every kind of fact that the conditions read.
 */
export function* explainFilter(
  filter: SegmentFilter,
  state: PlanState,
  facts: CustomerFacts,
): Step<ExplainedFilter> {
  return (yield* new FilterExplainer(state, facts).explainGroup(filter)).explained;
}

/** An explained part of a filter, with its leaves' match schedules. */
interface ExplainedPart<Explained> {
  readonly explained: Explained;
  readonly schedule: FilterSchedule;
}

class FilterExplainer {
  /** The slugs of the saved segments being explained, outermost first. */
  private readonly enclosingSegments: string[] = [];

  constructor(
    private readonly state: PlanState,
    private readonly facts: CustomerFacts,
  ) {}

  *explainGroup({
    operator,
    conditions = [],
    filters = [],
  }: SegmentFilter): Step<ExplainedPart<ExplainedFilter>> {
    const leaves: ExplainedPart<ExplainedLeaf>[] = [];
    const nestedParts: ExplainedPart<ExplainedFilter>[] = [];
    for (const condition of conditions) leaves.push(yield* this.explainLeaf(condition));
    for (const filter of filters) nestedParts.push(yield* this.explainGroup(filter));
    const operands = [...leaves, ...nestedParts];
    const isMatch = isMatched(
      operator,
      operands.map(({ explained }) => explained),
    );
    const schedule = combineSchedules(
      operator,
      operands.map((operand) => operand.schedule),
    );
    const explanation = {
      operator,
      matched: isMatch,
      changesAt: this.findChangesAt(schedule),
      conditions: leaves.map((leaf) => leaf.explained),
      filters: nestedParts.map((filter) => filter.explained),
    };
    return { explained: explanation, schedule };
  }

  private *explainLeaf(condition: SegmentCondition): Step<ExplainedPart<ExplainedLeaf>> {
    if (isYieldDue()) yield* yieldIfDue();
    const { state, facts } = this;
    const { segment } = condition;
    if (segment !== undefined) return yield* this.explainNamedSegment(segment);
    const isMatch = isMatchedNow(condition, state, facts);
    const matchSchedule = buildMatchSchedule(condition, state, facts, isMatch);
    const schedule = combineSchedules("AND", [matchSchedule]);
    const explanation = {
      ...condition,
      matched: isMatch,
      currentValue: findCurrentValue(condition, state, facts),
      since: timestampOrNull(findSince(condition, matchSchedule, state, facts)),
      changesAt: this.findChangesAt(schedule),
    };
    return { explained: explanation, schedule };
  }

  private *explainNamedSegment(slug: string): Step<ExplainedPart<ExplainedLeaf>> {
    const filter = this.state.segments?.get(slug);
    if (filter === undefined || this.enclosingSegments.includes(slug)) {
      const explanation = { segment: slug, matched: false, currentValue: null, since: null, changesAt: null };
      return { explained: explanation, schedule: combineSchedules("OR", []) };
    }
    this.enclosingSegments.push(slug);
    const { explained: tree, schedule } = yield* this.explainGroup(filter);
    this.enclosingSegments.pop();
    const { matched, changesAt } = tree;
    return { explained: { segment: slug, matched, currentValue: tree, since: null, changesAt }, schedule };
  }

  private findChangesAt(schedule: FilterSchedule): string | null {
    return timestampOrNull(findNextScheduleChange(schedule, this.state));
  }
}

function isMatched(
  operator: SegmentFilter["operator"],
  operands: readonly { readonly matched: boolean }[],
): boolean {
  const count = operands.filter(({ matched }) => matched).length;
  if (operator === "AND") return count === operands.length;
  return operator === "OR" ? count > 0 : count === 0;
}

/** Returns the customer's current value for a condition, or `undefined` if the condition refers to a segment. */
function findCurrentValue(condition: SegmentCondition, state: PlanState, facts: CustomerFacts): unknown {
  const { slug, stamps, rewards, completions, lastVisit, visits, joined } = condition;
  const { points, pointsExpire, spent, purchases } = condition;
  const { metadata, anniversary, field, wallet, subscription, language } = condition;
  const { user } = facts;
  const computeForCards = (templateId: string | undefined, getNumber: (card: StoredStampCard) => number) =>
    listCards(templateId, state, facts).map(getNumber);
  if (slug !== undefined) return facts.tags.has(slug);
  if (stamps !== undefined) return computeForCards(stamps.templateId, (card) => card.currentStamps);
  if (rewards !== undefined) return computeForCards(rewards.templateId, (card) => card.rewardsAvailable);
  if (completions !== undefined)
    return computeForCards(completions.templateId, (card) => card.timesCompleted);
  if (lastVisit !== undefined) {
    const [newest] = listVisits(lastVisit.templateId, state, facts);
    return newest === undefined ? null : timestamp(newest);
  }
  if (visits !== undefined) {
    const start = startOfDayBefore(state.timeZone, state.at, visits.days);
    const times = listVisits(visits.templateId, state, facts).filter((visit) => visit >= start);
    return times.slice(0, MAX_STORED_VISITS).map(timestamp);
  }
  if (points !== undefined) return listPoints(points.templateId, null, state, facts);
  if (pointsExpire !== undefined)
    return listPoints(pointsExpire.templateId, pointsExpire.withinDays, state, facts);
  if (spent !== undefined) {
    const start = startOfDayBefore(state.timeZone, state.at, spent.days);
    return sumSpent(facts.purchases, spent.currency, start);
  }
  if (purchases !== undefined) {
    const start = startOfDayBefore(state.timeZone, state.at, purchases.days);
    return facts.purchases.filter(({ at }) => at >= start).length;
  }
  if (joined !== undefined) return timestamp(user.createdAt);
  const path = metadata?.path ?? anniversary?.path;
  if (path !== undefined) return facts.getMetadataValue(path) ?? null;
  if (field !== undefined) return user[field.name] !== null;
  if (wallet !== undefined) return listPlatforms(wallet.templateId ?? null, facts);
  if (subscription !== undefined) return facts.subscription?.[`${subscription.channel}Status`] ?? "NONE";
  return language === undefined ? null : (facts.subscription?.language ?? null);
}

/**
 * Returns when a condition's result, or the value that the condition reads, last changed, either because the customer's data
 * changed or because time passed. Returns `null` if the stored data doesn't show when it changed.
 */
function findSince(
  condition: SegmentCondition,
  matchSchedule: MatchSchedule,
  state: PlanState,
  facts: CustomerFacts,
): number | null {
  const day = lastChange(matchSchedule, dayIn(state.timeZone, state.at));
  const midnight = day === null ? null : startOfDay(state.timeZone, day);
  const { user } = facts;
  if (condition.metadata === undefined && condition.anniversary === undefined) {
    const change = findValueChange(condition, state, facts);
    return change === null || midnight === null ? change : Math.max(change, midnight);
  }
  // The row stores when it last changed, but not which field.
  if (user.updatedAt === user.createdAt) return Math.max(user.createdAt, midnight ?? 0);
  return midnight !== null && midnight >= user.updatedAt ? midnight : null;
}

/** Returns when the value that a leaf reads was last changed. */
function findValueChange(condition: SegmentCondition, state: PlanState, facts: CustomerFacts): number | null {
  const { slug, lastVisit, visits, joined, field, subscription } = condition;
  const { user } = facts;
  if (slug !== undefined) return facts.tags.get(slug) ?? null;
  const visitCondition = lastVisit ?? visits;
  if (visitCondition !== undefined) return listVisits(visitCondition.templateId, state, facts)[0] ?? null;
  if (joined !== undefined) return user.createdAt;
  if (field !== undefined) return user.updatedAt === user.createdAt ? user.createdAt : null;
  return subscription === undefined ? null : (facts.subscription?.[`${subscription.channel}At`] ?? null);
}

function listCards(templateId: string | undefined, state: PlanState, facts: CustomerFacts) {
  const requestedId = templateOfCards(templateId, state);
  return requestedId === undefined ? [] : facts.listCards(requestedId);
}

/** Returns the points that count on each of the customer's cards, oldest card first. */
function listPoints(
  templateId: string,
  withinDays: number | null,
  state: PlanState,
  facts: CustomerFacts,
): readonly number[] {
  const cards = templateOfPoints(templateId, state);
  if (cards === undefined) return [];
  const range = findPointRange(withinDays, state);
  return facts.listLotsByCard(templateId, cards.countsUnused).map((lots) => sumPoints(lots, range));
}

function listVisits(
  templateId: string | undefined,
  state: PlanState,
  facts: CustomerFacts,
): readonly number[] {
  const requestedId = templateOfCards(templateId, state);
  return requestedId === undefined ? [] : facts.listVisits(requestedId);
}

/** Returns the platforms on which a pass is installed; `other` for an unknown platform. */
function listPlatforms(templateId: string | null, facts: CustomerFacts): string[] {
  const platforms = new Set<string>();
  for (const { pass, platforms: passPlatforms } of facts.listPasses(templateId)) {
    for (const platform of passPlatforms) platforms.add(platform);
    if (passPlatforms.length === 0 && pass.installationStatus === "INSTALLED") platforms.add("other");
  }
  return [...platforms].sort();
}

/** A filter in which each condition is replaced by its match schedule. */
interface FilterSchedule {
  readonly operator: SegmentFilter["operator"];
  readonly operands: readonly (FilterSchedule | MatchSchedule)[];
  /** The days when the result of a one-time schedule changes. */
  readonly oneTimeChangeDays: readonly number[];
  /**
   * Cached timelines, keyed by the first day of the span that they cover. The cache is useful because enclosing filters examine the
   * same spans.
   */
  readonly timelines: Map<number, Timeline>;
}

function combineSchedules(
  operator: SegmentFilter["operator"],
  operands: readonly (FilterSchedule | MatchSchedule)[],
): FilterSchedule {
  return { operator, operands, oneTimeChangeDays: operands.flatMap(listChangeDays), timelines: new Map() };
}

/**
 * Returns the next local midnight at which a customer starts or stops matching a validated filter through the passage of time
 * alone.
 * @param state the time to start from, the time zone, and the templates and segments that the filter refers to.
 * @returns the midnight, or `null` if the passage of time never changes the result.
 */
export function findNextChange(filter: SegmentFilter, state: PlanState, facts: CustomerFacts): number | null {
  return findNextScheduleChange(buildFilterSchedule(filter, state, facts, []), state);
}

/** Like {@link findNextChange}, but uses match schedules that have already been built. */
function findNextScheduleChange(
  schedule: FilterSchedule,
  state: Pick<PlanState, "at" | "timeZone">,
): number | null {
  const { oneTimeChangeDays } = schedule;
  let from = dayIn(state.timeZone, state.at);
  let isTrue: boolean | null = null;
  for (;;) {
    const span = { from, until: from + PERIOD_DAYS };
    const timeline = findTimeline(schedule, span);
    isTrue ??= timeline.isTrue;
    const changeDays = timeline.isTrue === isTrue ? timeline.turningDays : [from, ...timeline.turningDays];
    const instant = findFirstInstant(changeDays, state.timeZone);
    if (instant !== null) return instant;
    // If no one-time schedule changes within a period, the result repeats itself until the next such change.
    const hasChange = oneTimeChangeDays.some((day) => day > span.from && day < span.until);
    const next = hasChange ? span.until : Math.min(...oneTimeChangeDays.filter((day) => day >= span.until));
    if (!Number.isFinite(next)) return null;
    from = next;
  }
}

function buildFilterSchedule(
  { operator, conditions = [], filters = [] }: SegmentFilter,
  state: PlanState,
  facts: CustomerFacts,
  enclosingSegments: readonly string[],
): FilterSchedule {
  const buildConditionSchedule = (condition: SegmentCondition): FilterSchedule | MatchSchedule => {
    const { segment } = condition;
    const namedFilter =
      segment === undefined || enclosingSegments.includes(segment) ? undefined : state.segments?.get(segment);
    if (segment === undefined || namedFilter === undefined)
      return buildMatchSchedule(condition, state, facts);
    return buildFilterSchedule(namedFilter, state, facts, [...enclosingSegments, segment]);
  };
  const operands = [
    ...conditions.map(buildConditionSchedule),
    ...filters.map((nestedFilter) => buildFilterSchedule(nestedFilter, state, facts, enclosingSegments)),
  ];
  return combineSchedules(operator, operands);
}

function listChangeDays(schedule: FilterSchedule | MatchSchedule): readonly number[] {
  if ("oneTimeChangeDays" in schedule) return schedule.oneTimeChangeDays;
  return schedule.is === "once"
    ? schedule.ranges.flatMap(({ begin, end }) => [begin, end]).filter(Number.isFinite)
    : [];
}

function findTimeline(schedule: FilterSchedule | MatchSchedule, span: TimelineSpan): Timeline {
  if (!("timelines" in schedule)) return buildTimeline(schedule, span);
  const cachedTimeline = schedule.timelines.get(span.from);
  if (cachedTimeline !== undefined) return cachedTimeline;
  const operands = schedule.operands.map((operand) => findTimeline(operand, span));
  const timeline = combinedTimeline(schedule.operator, operands);
  schedule.timelines.set(span.from, timeline);
  return timeline;
}

/**
 * Returns the first instant at which the result changes. Days that begin at the same instant, such as a date that a time zone
 * skipped, count as one.
 */
function findFirstInstant(changeDays: readonly number[], timeZone: string): number | null {
  let isSkipped = false;
  for (const [index, day] of changeDays.entries()) {
    const instant = startOfDay(timeZone, day);
    if (isSkipped) isSkipped = false;
    else if (changeDays[index + 1] === day + 1 && startOfDay(timeZone, day + 1) === instant) isSkipped = true;
    else return instant;
  }
  return null;
}
