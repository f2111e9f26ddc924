import type { SegmentFilter } from "loyalty-kit";
import { expect } from "vitest";
import type { ExplainedFilter } from "../../src/segments/explanation-schema.js";
import { listMidnights, type MovesOracle } from "./moves-oracle.js";
import { type Customer, isIn, isSo } from "./oracle.js";

const DAY = 86_400_000;

/** Number of days that are checked, one after the other. */
const DAYS = 40;

/**
 * Asserts that an explanation has the nodes of a filter, each with the oracle's result for now and until it changes.
 */
export function assertExplained(
  tree: ExplainedFilter,
  { operator, conditions = [], filters = [] }: SegmentFilter,
  customer: Customer,
  oracle: MovesOracle,
  story: string,
): void {
  const filter = { operator, conditions, filters };
  const expectChangesAtSaidTime = (
    changesAt: string | null,
    isMatched: (at: number) => boolean,
    description: string,
  ) => {
    const now = isMatched(oracle.at);
    const end = changesAt === null ? Number.POSITIVE_INFINITY : Date.parse(changesAt);
    for (const midnight of listMidnights(oracle.zone, oracle.at, oracle.at + DAYS * DAY))
      expect(isMatched(midnight), `${description} at ${new Date(midnight).toISOString()}, ${changesAt}`).toBe(
        midnight >= end ? (midnight === end ? !now : isMatched(midnight)) : now,
      );
    if (changesAt !== null) expect([isMatched(end - 1), isMatched(end)], description).toEqual([now, !now]);
  };
  expect([tree.operator, tree.conditions.length, tree.filters.length], story).toEqual([
    operator,
    conditions.length,
    filters.length,
  ]);
  expect(tree.matched, story).toBe(isIn(customer, filter, oracle.createNow()));
  expectChangesAtSaidTime(tree.changesAt, (at) => isIn(customer, filter, oracle.createNow(at)), story);
  for (const [nth, condition] of conditions.entries()) {
    const { matched, changesAt, currentValue } = tree.conditions[nth] ?? {};
    const description = `${story}, ${JSON.stringify(condition)}: ${JSON.stringify(currentValue)}`;
    expect(matched, description).toBe(isSo(customer, condition, oracle.createNow()));
    expectChangesAtSaidTime(
      changesAt ?? null,
      (at) => isSo(customer, condition, oracle.createNow(at)),
      description,
    );
  }
  for (const [nth, nested] of filters.entries()) {
    const found = tree.filters[nth];
    if (found !== undefined) assertExplained(found, nested, customer, oracle, story);
  }
}
