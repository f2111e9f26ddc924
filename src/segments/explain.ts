import { turns } from "../concurrency/event-loop.js";
import type { Step } from "../concurrency/step.js";
import type { ExplainedFilter, ExplainedLeaf } from "../resources/segment-explanation.js";
import type { SegmentCondition, SegmentFilter } from "../resources/segment-filter.js";
import { timestampOrNull } from "../values/clock.js";
import { actualOf, sinceOf } from "./actual.js";
import type { CustomerFacts } from "./customer-facts.js";
import { nextChange } from "./next-change.js";
import { isMember } from "./one-customer.js";
import { type PlanState, planOf } from "./plan.js";

/**
 * Explains a filter that was checked for one customer: every leaf is looked at.
 * @param facts of all kinds that the leaves read.
 */
export function explained(
  filter: SegmentFilter,
  state: PlanState,
  facts: CustomerFacts,
): Step<ExplainedFilter> {
  return new Explaining(state, facts).filter(filter);
}

class Explaining {
  /** The saved segments that are being explained, from the outermost one. */
  private readonly within: string[] = [];

  constructor(
    private readonly state: PlanState,
    private readonly facts: CustomerFacts,
  ) {}

  *filter(filter: SegmentFilter): Step<ExplainedFilter> {
    const conditions: ExplainedLeaf[] = [];
    const filters: ExplainedFilter[] = [];
    for (const condition of filter.conditions ?? []) conditions.push(yield* this.leaf(condition));
    for (const nested of filter.filters ?? []) filters.push(yield* this.filter(nested));
    const { operator } = filter;
    const matched = isMatched(operator, [...conditions, ...filters]);
    return { operator, matched, changesAt: this.changesAt(filter), conditions, filters };
  }

  private *leaf(condition: SegmentCondition): Step<ExplainedLeaf> {
    yield* turns();
    const { state, facts } = this;
    const { segment } = condition;
    if (segment !== undefined) return yield* this.segment(segment);
    const alone: SegmentFilter = { operator: "AND", conditions: [condition] };
    return {
      ...condition,
      matched: isMember(planOf(alone, state), facts),
      currentValue: actualOf(condition, state, facts),
      since: timestampOrNull(sinceOf(condition, state, facts)),
      changesAt: this.changesAt(alone),
    };
  }

  private *segment(slug: string): Step<ExplainedLeaf> {
    const filter = this.state.segments?.get(slug);
    if (filter === undefined || this.within.includes(slug))
      return { segment: slug, matched: false, currentValue: null, since: null, changesAt: null };
    this.within.push(slug);
    const tree = yield* this.filter(filter);
    this.within.pop();
    return {
      segment: slug,
      matched: tree.matched,
      currentValue: tree,
      since: null,
      changesAt: tree.changesAt,
    };
  }

  private changesAt(filter: SegmentFilter): string | null {
    return timestampOrNull(nextChange(filter, this.state, this.facts));
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
