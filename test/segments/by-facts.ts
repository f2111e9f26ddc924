import type { SegmentFilter, StorageAdapter } from "loyalty-kit";
import { expect } from "vitest";
import type { Step } from "../../src/base/concurrency/step.js";
import { dayIn, startOfDay } from "../../src/base/values/calendar-days.js";
import type { CustomerFacts } from "../../src/segments/customer-facts.js";
import { compileMembershipTest, isMember } from "../../src/segments/customer-membership.js";
import { findNextChange } from "../../src/segments/explain.js";
import { listFactKinds, readCustomerFacts } from "../../src/segments/facts.js";
import { type PlanState, planFilter } from "../../src/segments/plan.js";
import { zoneOf } from "../../src/settings/schema.js";
import type { StorageReader } from "../../src/storage/storage-adapter.js";

/** Number of midnights that are checked. */
const MIDNIGHTS = 450;

interface KnownFacts {
  readonly state: PlanState;
  readonly customers: readonly CustomerFacts[];
}

function* readFacts(reader: StorageReader, filter: SegmentFilter, at: number): Step<KnownFacts> {
  const templates = new Map((yield* reader.listTemplates()).map((template) => [template.id, template]));
  const timeZone = zoneOf(yield* reader.findSettings());
  const state = { at, timeZone, templates };
  const users = yield* reader.listUsers(-1, 1_000);
  const kinds = listFactKinds([planFilter(filter, state)]);
  return { state, customers: yield* readCustomerFacts(reader, users, kinds, at) };
}

/** Returns the ids of the customers that a filter matches, oldest first. Each customer is evaluated separately. */
export async function findMembersByFacts(
  storage: StorageAdapter,
  organizationId: string,
  filter: SegmentFilter,
  at: number,
): Promise<string[]> {
  const { state, customers } = await storage.snapshot(organizationId, (reader) =>
    readFacts(reader, filter, at),
  );
  const plan = planFilter(filter, state);
  const isIn = compileMembershipTest(plan);
  return customers.filter(isIn).map(({ user }) => user.id);
}

/** Asserts that each customer's membership changes at the predicted midnight, and at none before it. */
export async function expectChangesAtSaidTime(
  storage: StorageAdapter,
  organizationId: string,
  filter: SegmentFilter,
  at: number,
): Promise<void> {
  const { state, customers } = await storage.snapshot(organizationId, (reader) =>
    readFacts(reader, filter, at),
  );
  const { timeZone } = state;
  const today = dayIn(timeZone, at);
  const midnights = Array.from({ length: MIDNIGHTS }, (_, ahead) => startOfDay(timeZone, today + 1 + ahead));
  const plans = midnights.map((midnight) => ({
    midnight,
    isIn: compileMembershipTest(planFilter(filter, { ...state, at: midnight })),
  }));
  const now = planFilter(filter, state);
  for (const facts of customers) {
    const isIn = isMember(now, facts);
    const changes = plans.find((plan) => plan.isIn(facts) !== isIn)?.midnight ?? null;
    const nextChange = findNextChange(filter, state, facts);
    const story = `${facts.user.id} at ${new Date(at).toISOString()} in ${timeZone}: ${JSON.stringify(filter)}`;
    if (nextChange === null || changes !== null) expect(nextChange, story).toBe(changes);
    else {
      expect(nextChange, story).toBeGreaterThan(Math.max(...midnights));
      expect(isMember(planFilter(filter, { ...state, at: nextChange }), facts), story).toBe(!isIn);
      expect(isMember(planFilter(filter, { ...state, at: nextChange - 1 }), facts), story).toBe(isIn);
    }
  }
}
