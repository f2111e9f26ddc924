import { isYieldDue, runSync, yieldIfDue } from "../base/concurrency/event-loop.js";
import type { Step } from "../base/concurrency/step.js";
import { signals } from "../base/signals.js";
import { dayIn, startOfDay, startOfDayBefore } from "../base/values/calendar-days.js";
import { DAY_MS } from "../base/values/clock.js";
import { daysOfYearOn, numericDateOf } from "../base/values/metadata-value.js";
import { normalizeNfc } from "../base/values/text.js";
import type { BehaviorTest, MetadataTest } from "../storage/behavior.js";
import type { StoredTemplate } from "../storage/templates.js";
import type { TagFilter } from "../tags/tag-filter-schema.js";
import { listLeaves, type SegmentCondition, type SegmentFilter } from "./filter-schema.js";

/** The data that a filter's plan depends on. */
export interface PlanState {
  /** The time at which the filter is evaluated, in milliseconds since the Unix epoch. */
  readonly at: number;
  /**
   * Whether the filter is evaluated for the whole day that begins at `at`. Points then count from the day's beginning if they become
   * usable at any time of the day, and they count until they are recorded as expired. Default: `false`, which evaluates the filter for
   * the exact time.
   */
  readonly isWholeDay?: boolean;
  /** The time zone in which days begin and end. */
  readonly timeZone: string;
  /** The existing templates that the filter refers to, keyed by ID. */
  readonly templates: ReadonlyMap<string, StoredTemplate>;
  /** The filters of saved segments, keyed by slug. A segment that is missing here counts as empty. Default: no segments. */
  readonly segments?: ReadonlyMap<string, SegmentFilter>;
}

/** A filter compiled to an expression over named sets of users. There is one set for each tag and each behavior test. */
export interface Plan {
  /** The compiled filter. Its slugs are set names. */
  readonly filter: TagFilter;
  /** Tag slugs, keyed by set name. */
  readonly tags: ReadonlyMap<string, string>;
  readonly tests: ReadonlyMap<string, BehaviorTest>;
}

/** A filter, or the name of a set. */
type Node = TagFilter | string;

type Leaf<Name extends keyof SegmentCondition> = NonNullable<SegmentCondition[Name]>;

/** A name that belongs to no set, so that it matches no users. */
const NOBODY = "nobody";

/** Returns whether a filter contains any condition that isn't a tag condition. */
export function hasBehavior(filter: SegmentFilter): boolean {
  return listLeaves(filter).some(({ slug }) => slug === undefined);
}

/** Returns the IDs of the templates that a filter refers to directly, rather than through other segments. */
export function templatesIn(filter: SegmentFilter): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const condition of listLeaves(filter)) {
    const { stamps, rewards, completions, lastVisit, visits, points, pointsExpire, wallet } = condition;
    const { templateId } =
      stamps ?? rewards ?? completions ?? lastVisit ?? visits ?? points ?? pointsExpire ?? wallet ?? {};
    if (templateId !== undefined) ids.add(templateId);
  }
  return ids;
}

/** Returns the IDs of the templates whose points a filter's own conditions read. Their result can change during a day. */
export function listPointTemplates(filter: SegmentFilter): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { points, pointsExpire } of listLeaves(filter)) {
    const { templateId } = points ?? pointsExpire ?? {};
    if (templateId !== undefined) ids.add(templateId);
  }
  return ids;
}

/**
 * Plans a validated filter as of a given time. The plan is valid until the end of that day in the state's time zone, or only for
 * that time if the filter has conditions on points.
 */
export function planFilter(filter: SegmentFilter, state: PlanState): Plan {
  return runSync(new Planner(state).plan(filter));
}

/** A cached plan, with the inputs that it depends on. */
interface CachedPlan {
  readonly plan: Plan;
  readonly cacheKey: string;
  /** The filter, and the filters of the segments that it names. */
  readonly savedFilters: readonly SegmentFilter[];
}

/** Caches the newest plan of each filter. */
const cachedPlans = new WeakMap<SegmentFilter, CachedPlan>();

/**
 * Plans a filter like {@link planFilter}, but yields to other work and caches the plan. A filter is planned only once per day
 * unless it has conditions on points, or the templates or segments that it refers to change.
 * @param savedFilters the filter, followed by the filters of the segments that it refers to.
 */
export function* planned(
  filter: SegmentFilter,
  savedFilters: readonly SegmentFilter[],
  state: PlanState,
): Step<Plan> {
  const { timeZone, at, isWholeDay, templates } = state;
  const cards = Array.from(templates.values(), ({ id, maxStamps, points }) => [
    id,
    maxStamps === null,
    points === null,
  ]);
  const time = savedFilters.some((savedFilter) => listPointTemplates(savedFilter).size > 0)
    ? { at, isWholeDay }
    : dayIn(timeZone, at);
  const cacheKey = JSON.stringify([timeZone, time, cards]);
  const cachedPlan = cachedPlans.get(filter);
  const isSame =
    cachedPlan?.cacheKey === cacheKey &&
    cachedPlan.savedFilters.every((savedFilter, index) => savedFilter === savedFilters[index]);
  if (isSame && cachedPlan.savedFilters.length === savedFilters.length) return cachedPlan.plan;
  const plan = yield* new Planner(state).plan(filter);
  cachedPlans.set(filter, { plan, cacheKey, savedFilters });
  return plan;
}

/**
 * Determines which stamp cards a condition applies to.
 * @returns the ID of the cards' template, `null` for all stamp cards if the condition doesn't specify a template, or `undefined` if
 *   the template doesn't exist or isn't for stamp cards.
 */
export function templateOfCards(
  templateId: string | undefined,
  { templates }: Pick<PlanState, "templates">,
): string | null | undefined {
  if (templateId === undefined) return null;
  const template = templates.get(templateId);
  return template === undefined || template.maxStamps === null ? undefined : templateId;
}

/**
 * Determines which point cards a condition applies to.
 * @returns the template, or `undefined` if it doesn't exist or its cards can't have points.
 */
export function templateOfPoints(
  templateId: string,
  { templates }: Pick<PlanState, "templates">,
): { readonly templateId: string; readonly countsUnused: boolean } | undefined {
  const template = templates.get(templateId);
  if (template === undefined || template.maxStamps !== null) return undefined;
  // A template that no longer has points leaves its cards what they have.
  return { templateId, countsUnused: template.points !== null };
}

/** Which points count. Their lots become usable by `usableBy`, and end after `endsAfter` and at or before `endsBy`. */
export type PointRange = Pick<
  Extract<BehaviorTest, { readonly of: "points" }>,
  "usableBy" | "endsAfter" | "endsBy"
>;

/**
 * Returns which points count at a time.
 * @param withinDays counts only points that expire by the end of the day this many days ahead. `null` counts all usable points.
 */
export function findPointRange(
  withinDays: number | null,
  { at, isWholeDay = false, timeZone }: Pick<PlanState, "at" | "isWholeDay" | "timeZone">,
): PointRange {
  const today = dayIn(timeZone, at);
  return {
    usableBy: isWholeDay ? startOfDay(timeZone, today + 1) - 1 : at,
    endsAfter: at,
    endsBy: withinDays === null ? null : startOfDay(timeZone, today + withinDays + 1),
  };
}

class Planner {
  readonly tags = new Map<string, string>();
  readonly tests = new Map<string, BehaviorTest>();

  /** The slugs of the saved segments being planned, outermost first. */
  private readonly enclosingSegments: string[] = [];
  private readonly anniversaryDays = new Map<number, readonly number[]>();
  private conditions = 0;

  constructor(private readonly state: PlanState) {}

  *plan(filter: SegmentFilter): Step<Plan> {
    const { tags, tests } = this;
    const plan = { filter: yield* this.filter(filter), tags, tests };
    signals.filterPlanned.send(this.conditions);
    return plan;
  }

  private *filter({ operator, conditions = [], filters = [] }: SegmentFilter): Step<TagFilter> {
    const operands: Node[] = [];
    for (const condition of conditions) {
      this.conditions += 1;
      if (isYieldDue()) yield* yieldIfDue();
      const { segment } = condition;
      operands.push(segment === undefined ? this.planLeaf(condition) : yield* this.planNamedSegment(segment));
    }
    for (const nestedFilter of filters) operands.push(yield* this.filter(nestedFilter));
    return combineNodes(operator, operands);
  }

  private planLeaf(condition: SegmentCondition): Node {
    const { slug, stamps, rewards, completions, lastVisit, visits, joined } = condition;
    const { points, pointsExpire, spent, purchases } = condition;
    const { metadata, anniversary, field, wallet, subscription, language } = condition;
    if (slug !== undefined) return this.tag(slug);
    if (stamps !== undefined) return this.planCount("stamps", stamps, 0);
    if (rewards !== undefined) return this.planCount("rewards", rewards, 1);
    if (completions !== undefined) return this.planCount("completions", completions, 1);
    if (lastVisit !== undefined) return this.planLastVisit(lastVisit);
    if (visits !== undefined) return this.planVisits(visits);
    if (points !== undefined) return this.planPoints(points, null, 0);
    if (pointsExpire !== undefined) return this.planPoints(pointsExpire, pointsExpire.withinDays, 1);
    if (spent !== undefined) {
      const { days, currency, min = 0, max = null } = spent;
      return this.test({ of: "spent", currency, since: this.computeStart(days), min, max });
    }
    if (purchases !== undefined) {
      const { days, min = 0, max = null } = purchases;
      return this.test({ of: "purchases", since: this.computeStart(days), min, max });
    }
    if (joined !== undefined) return this.planJoined(joined);
    if (metadata !== undefined) return this.planMetadata(metadata);
    if (anniversary !== undefined) return this.anniversary(anniversary);
    if (field !== undefined) return keepIf(field.exists, this.test({ of: "field", name: field.name }));
    if (wallet !== undefined) return this.planWallet(wallet);
    if (subscription !== undefined) return this.test({ of: "subscription", ...subscription });
    if (language !== undefined) return this.test({ of: "language", language });
    throw new Error("a condition of a segment filter has a leaf that no planner handles");
  }

  /** Plans a saved segment. A segment that would contain itself has no members. */
  private *planNamedSegment(slug: string): Step<Node> {
    const filter = this.state.segments?.get(slug);
    if (filter === undefined || this.enclosingSegments.includes(slug)) return NOBODY;
    this.enclosingSegments.push(slug);
    const node = yield* this.filter(filter);
    this.enclosingSegments.pop();
    return node;
  }

  private tag(slug: string): string {
    const name = `tag ${slug}`;
    this.tags.set(name, slug);
    return name;
  }

  /**
   * Adds a test to the plan, and returns the name of its set. Equal tests share one set.
   * @param key identifies the test: equal tests have equal keys.
   */
  private test(test: BehaviorTest, key: unknown = test): string {
    const name = `test ${JSON.stringify(key)}`;
    this.tests.set(name, test);
    return name;
  }

  private resolveCards(templateId: string | undefined): string | null | undefined {
    return templateOfCards(templateId, this.state);
  }

  private planCount(
    kind: "stamps" | "rewards" | "completions",
    leaf: Leaf<"rewards">,
    minimum: number,
  ): Node {
    const templateId = this.resolveCards(leaf.templateId);
    if (templateId === undefined) return NOBODY;
    return this.test({ of: kind, templateId, min: leaf.min ?? minimum, max: leaf.max ?? null });
  }

  private planLastVisit({ withinDays, beforeDays, templateId: requestedId }: Leaf<"lastVisit">): Node {
    const templateId = this.resolveCards(requestedId);
    if (templateId === undefined) return NOBODY;
    const testNewest = (since: number | null, before: number | null) =>
      this.test({ of: "visit", templateId, nth: 1, since, before });
    if (withinDays !== undefined) return testNewest(this.computeStart(withinDays), null);
    if (beforeDays !== undefined) return testNewest(null, this.computeStart(beforeDays));
    return negate(testNewest(null, null));
  }

  private planVisits({ templateId: requestedId, days, min = 0, max }: Leaf<"visits">): Node {
    const templateId = this.resolveCards(requestedId);
    if (templateId === undefined) return NOBODY;
    const start = this.computeStart(days);
    const testAtLeast = (nth: number) =>
      this.test({ of: "visit", templateId, nth, since: start, before: null });
    const minimumTest =
      min === 0 ? this.test({ of: "stamps", templateId, min: 0, max: null }) : testAtLeast(min);
    return max === undefined ? minimumTest : combineNodes("AND", [minimumTest, negate(testAtLeast(max + 1))]);
  }

  private planPoints(
    leaf: Pick<Leaf<"points">, "templateId" | "min" | "max">,
    withinDays: number | null,
    minimum: number,
  ): Node {
    const cards = templateOfPoints(leaf.templateId, this.state);
    if (cards === undefined) return NOBODY;
    const range = findPointRange(withinDays, this.state);
    return this.test({ of: "points", ...cards, ...range, min: leaf.min ?? minimum, max: leaf.max ?? null });
  }

  private planJoined({ withinDays, beforeDays, from, to }: Leaf<"joined">): Node {
    if (withinDays !== undefined)
      return this.test({ of: "joined", from: this.computeStart(withinDays), before: null });
    if (beforeDays !== undefined)
      return this.test({ of: "joined", from: null, before: this.computeStart(beforeDays) });
    return this.test({ of: "joined", from: this.parseInstant(from), before: this.parseInstant(to) });
  }

  private planMetadata(leaf: Leaf<"metadata">): Node {
    const { path, equals, min, max, exists, withinDays, beforeDays } = leaf;
    const testValue = (value: MetadataTest) => this.test({ of: "metadata", path, value });
    if (exists !== undefined) return keepIf(exists, testValue({ is: "there" }));
    if (withinDays !== undefined)
      return testValue({ is: "date", from: numericDateOf(this.today - withinDays), before: null });
    if (beforeDays !== undefined)
      return testValue({ is: "date", from: null, before: numericDateOf(this.today - beforeDays) });
    switch (typeof equals) {
      case "string":
        return testValue({ is: "text", text: normalizeNfc(equals) });
      case "boolean":
        return testValue({ is: "flag", value: equals });
      case "number":
        return testValue({ is: "number", min: equals, max: equals });
      default:
        return testValue({ is: "number", min: min ?? null, max: max ?? null });
    }
  }

  private anniversary({ path, month, withinDays = 0 }: Leaf<"anniversary">): Node {
    const days = month === undefined ? this.daysWithin(withinDays) : daysOfMonth(this.resolveMonth(month));
    // Uses a short key, because a name built from hundreds of days would slow down planning.
    return this.test({ of: "metadata", path, value: { is: "dayOfYear", days } }, { path, month, withinDays });
  }

  private planWallet({ platform, templateId, installed }: Leaf<"wallet">): Node {
    if (templateId !== undefined && !this.state.templates.has(templateId)) return NOBODY;
    return keepIf(
      installed,
      this.test({ of: "wallet", platform: platform ?? null, templateId: templateId ?? null }),
    );
  }

  private get today(): number {
    return dayIn(this.state.timeZone, this.state.at);
  }

  /** Returns the start of the day that is this many days ago. */
  private computeStart(days: number): number {
    return startOfDayBefore(this.state.timeZone, this.state.at, days);
  }

  private parseInstant(text: string | undefined): number | null {
    if (text === undefined) return null;
    const instant = Date.parse(text);
    return text.includes("T") ? instant : startOfDay(this.state.timeZone, instant / DAY_MS);
  }

  private resolveMonth(month: number | "this"): number {
    return month === "this" ? Math.floor(numericDateOf(this.today) / 100) % 100 : month;
  }

  /** Returns the days of the year from today until this many days ahead. In years without 29 February, it falls on 1 March. */
  private daysWithin(days: number): readonly number[] {
    const cachedDays = this.anniversaryDays.get(days);
    if (cachedDays !== undefined) return cachedDays;
    const dayNumbers = new Set<number>();
    for (let dayOffset = 0; dayOffset <= days; dayOffset += 1)
      for (const dayOfYear of daysOfYearOn(this.today + dayOffset)) dayNumbers.add(dayOfYear);
    const sortedDays = [...dayNumbers].sort((a, b) => a - b);
    this.anniversaryDays.set(days, sortedDays);
    return sortedDays;
  }
}

function daysOfMonth(month: number): readonly number[] {
  return Array.from({ length: 31 }, (_, day) => month * 100 + day + 1);
}

function combineNodes(operator: TagFilter["operator"], operands: readonly Node[]): TagFilter {
  return {
    operator,
    conditions: operands.flatMap((operand) => (typeof operand === "string" ? [{ slug: operand }] : [])),
    filters: operands.filter((operand) => typeof operand !== "string"),
  };
}

function negate(operand: Node): TagFilter {
  return combineNodes("NOT", [operand]);
}

function keepIf(condition: boolean, operand: Node): Node {
  return condition ? operand : negate(operand);
}
