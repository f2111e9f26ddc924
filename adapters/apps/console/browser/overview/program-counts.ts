import type { OrganizationCalls } from "../../../../../src/operation-groups.js";
import type { SegmentFilter } from "../../../../../src/segments/filter-schema.js";
import { overview as words } from "../words/en/overview.js";

/** Number of days within which a sign-up or a visit counts as recent. */
export const LATELY = 30;

const waiting: SegmentFilter = { operator: "AND", conditions: [{ rewards: { min: 1 } }] };
const quiet: SegmentFilter = { operator: "AND", conditions: [{ lastVisit: { beforeDays: LATELY } }] };
const joined: SegmentFilter = { operator: "AND", conditions: [{ joined: { withinDays: LATELY } }] };
const here = { lastVisit: { withinDays: LATELY } };

/** The loyalty program's key figures, each with the filter for the customers it counts. */
export const program = {
  waiting: { text: words.waiting, filter: waiting },
  fresh: {
    text: words.fresh(LATELY),
    filter: { operator: "AND", conditions: [{ joined: { withinDays: LATELY } }, here] },
  },
  returning: {
    text: words.returning(LATELY),
    filter: { operator: "AND", conditions: [{ joined: { beforeDays: LATELY } }, here] },
  },
  quiet: { text: words.quiet(LATELY), filter: quiet },
} as const satisfies Readonly<Record<string, { readonly text: string; readonly filter: SegmentFilter }>>;

const step = (...conditions: NonNullable<SegmentFilter["conditions"]>): SegmentFilter => ({
  operator: "AND",
  conditions: [...(joined.conditions ?? []), ...conditions],
});

const inWallet = { wallet: { installed: true } };
const cameTwice = { visits: { days: LATELY, min: 2 } };

/**
 * The steps of the sign-up funnel for customers who joined recently. Each step counts only the customers who have also completed
 * every previous step.
 */
export const funnel = [
  { text: words.joined, filter: step() },
  { text: words.inWallet, filter: step(inWallet) },
  { text: words.cameTwice, filter: step(inWallet, cameTwice) },
  { text: words.earned, filter: step(inWallet, cameTwice, { completions: { min: 1 } }) },
] as const;

/**
 * Counts the customers who match each filter. Sends one request per filter. Each response contains only the total and no customers.
 * @returns the counts, in the order of the filters.
 */
export async function readTotals(
  calls: OrganizationCalls,
  filters: readonly SegmentFilter[],
): Promise<readonly number[]> {
  const pages = filters.map((filter) => calls.segments.query({ filter, size: 0 }));
  return (await Promise.all(pages)).map(({ totalElements }) => totalElements);
}

/** Returns the path of the customer list with the given filter applied. */
export const filteredListPath = (filter: SegmentFilter): string =>
  `/customers?filter=${encodeURIComponent(JSON.stringify(filter))}`;
