import type { OrganizationCalls } from "../../../../../src/operation-groups.js";
import type { SegmentFilter } from "../../../../../src/segments/filter-schema.js";
import { overview as words } from "../words/en/overview.js";

/** Number of days for which a sign-up or visit counts as recent. */
export const RECENT_DAYS = 30;

const waitingFilter: SegmentFilter = { operator: "AND", conditions: [{ rewards: { min: 1 } }] };
const quietFilter: SegmentFilter = {
  operator: "AND",
  conditions: [{ lastVisit: { beforeDays: RECENT_DAYS } }],
};
const joinedFilter: SegmentFilter = {
  operator: "AND",
  conditions: [{ joined: { withinDays: RECENT_DAYS } }],
};
const recentVisit = { lastVisit: { withinDays: RECENT_DAYS } };

/** The loyalty program's key figures, each with a filter that matches the customers it counts. */
export const program = {
  waiting: { text: words.waiting, filter: waitingFilter },
  newcomers: {
    text: words.fresh(RECENT_DAYS),
    filter: { operator: "AND", conditions: [{ joined: { withinDays: RECENT_DAYS } }, recentVisit] },
  },
  returning: {
    text: words.returning(RECENT_DAYS),
    filter: { operator: "AND", conditions: [{ joined: { beforeDays: RECENT_DAYS } }, recentVisit] },
  },
  quiet: { text: words.quiet(RECENT_DAYS), filter: quietFilter },
} as const satisfies Readonly<Record<string, { readonly text: string; readonly filter: SegmentFilter }>>;

const buildStep = (...conditions: NonNullable<SegmentFilter["conditions"]>): SegmentFilter => ({
  operator: "AND",
  conditions: [...(joinedFilter.conditions ?? []), ...conditions],
});

const visitedTwice = { visits: { days: RECENT_DAYS, min: 2 } };

/**
 * The steps of the sign-up funnel for customers who joined recently. Each step counts only the customers who have also completed
 * every previous step, except a card in a wallet: customers earn rewards without one.
 */
export const funnel = [
  { text: words.joined, filter: buildStep(), isWallet: false },
  { text: words.inWallet, filter: buildStep({ wallet: { installed: true } }), isWallet: true },
  { text: words.cameTwice, filter: buildStep(visitedTwice), isWallet: false },
  { text: words.earned, filter: buildStep(visitedTwice, { completions: { min: 1 } }), isWallet: false },
] as const;

/**
 * Counts the customers who match each filter, with one request per filter. The responses contain only totals, not customers.
 * @returns the counts, in the order of the filters.
 */
export async function readTotals(
  calls: OrganizationCalls,
  filters: readonly SegmentFilter[],
): Promise<readonly number[]> {
  const pages = filters.map((filter) => calls.segments.query({ filter, size: 0 }));
  return (await Promise.all(pages)).map(({ totalElements }) => totalElements);
}

/** Returns the path to the customer list with the given filter applied. */
export const buildListPath = (filter: SegmentFilter): string =>
  `/customers?filter=${encodeURIComponent(JSON.stringify(filter))}`;
