import { isYieldDue, yieldIfDue } from "../base/concurrency/event-loop.js";
import type { Step } from "../base/concurrency/step.js";
import { timestampOrNull } from "../base/values/clock.js";
import { findCurrentValue, findSince } from "./current-value.js";
import type { CustomerFacts } from "./customer-facts.js";
import type { ExplainedFilter, ExplainedLeaf } from "./explanation-schema.js";
import type { SegmentCondition, SegmentFilter } from "./filter-schema.js";
import { buildMatchSchedule, isMatchedNow } from "./match-schedule.js";
import { type Courses, combinedCourses, findNextTurn } from "./next-change.js";
import type { PlanState } from "./plan.js";

/**
 * Explains, condition by condition, how a validated filter evaluates for one customer.
 * @param facts the customer's facts. They must include every kind of fact that the conditions read.
 */
export function* explainFilter(
  filter: SegmentFilter,
  state: PlanState,
  facts: CustomerFacts,
): Step<ExplainedFilter> {
  return (yield* new Explaining(state, facts).filter(filter)).explained;
}

/** An explained part of a filter, with its leaves' match schedules. */
interface Part<Explained> {
  readonly explained: Explained;
  readonly courses: Courses;
}

class Explaining {
  /** The slugs of the saved segments being explained, outermost first. */
  private readonly within: string[] = [];

  constructor(
    private readonly state: PlanState,
    private readonly facts: CustomerFacts,
  ) {}

  *filter({ operator, conditions = [], filters = [] }: SegmentFilter): Step<Part<ExplainedFilter>> {
    const leaves: Part<ExplainedLeaf>[] = [];
    const nested: Part<ExplainedFilter>[] = [];
    for (const condition of conditions) leaves.push(yield* this.leaf(condition));
    for (const filter of filters) nested.push(yield* this.filter(filter));
    const operands = [...leaves, ...nested];
    const matched = isMatched(
      operator,
      operands.map(({ explained }) => explained),
    );
    const courses = combinedCourses(
      operator,
      operands.map((operand) => operand.courses),
    );
    const explained = {
      operator,
      matched,
      changesAt: this.changesAt(courses),
      conditions: leaves.map((leaf) => leaf.explained),
      filters: nested.map((filter) => filter.explained),
    };
    return { explained, courses };
  }

  private *leaf(condition: SegmentCondition): Step<Part<ExplainedLeaf>> {
    if (isYieldDue()) yield* yieldIfDue();
    const { state, facts } = this;
    const { segment } = condition;
    if (segment !== undefined) return yield* this.segment(segment);
    const matched = isMatchedNow(condition, state, facts);
    const course = buildMatchSchedule(condition, state, facts, matched);
    const courses = combinedCourses("AND", [course]);
    const explained = {
      ...condition,
      matched,
      currentValue: findCurrentValue(condition, state, facts),
      since: timestampOrNull(findSince(condition, course, state, facts)),
      changesAt: this.changesAt(courses),
    };
    return { explained, courses };
  }

  private *segment(slug: string): Step<Part<ExplainedLeaf>> {
    const filter = this.state.segments?.get(slug);
    if (filter === undefined || this.within.includes(slug)) {
      const explained = { segment: slug, matched: false, currentValue: null, since: null, changesAt: null };
      return { explained, courses: combinedCourses("OR", []) };
    }
    this.within.push(slug);
    const { explained: tree, courses } = yield* this.filter(filter);
    this.within.pop();
    const { matched, changesAt } = tree;
    return { explained: { segment: slug, matched, currentValue: tree, since: null, changesAt }, courses };
  }

  private changesAt(courses: Courses): string | null {
    return timestampOrNull(findNextTurn(courses, this.state));
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
