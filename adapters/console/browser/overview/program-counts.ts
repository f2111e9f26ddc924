import type { OrganizationCalls } from "../../../../src/operations/groups.js";
import type { SegmentFilter } from "../../../../src/resources/segment-filter.js";
import { overview as words } from "../words/en/overview.js";

/** The days that "lately" means: who joined or was here within them. */
export const LATELY = 30;

const waiting: SegmentFilter = { operator: "AND", conditions: [{ rewards: { min: 1 } }] };
const quiet: SegmentFilter = { operator: "AND", conditions: [{ lastVisit: { beforeDays: LATELY } }] };
const joined: SegmentFilter = { operator: "AND", conditions: [{ joined: { withinDays: LATELY } }] };
const here = { lastVisit: { withinDays: LATELY } };

/** The customers that a program is judged by, each by the filter that finds them; each step of the way has those before it. */
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

/** The way of who joined lately, step by step. */
export const funnel = [
  { text: words.joined, filter: step() },
  { text: words.inWallet, filter: step(inWallet) },
  { text: words.cameTwice, filter: step(inWallet, cameTwice) },
  { text: words.earned, filter: step(inWallet, cameTwice, { completions: { min: 1 } }) },
] as const;

/** Reads how many customers match each filter, with one request for each that returns only the total. */
export async function readTotals(
  calls: OrganizationCalls,
  filters: readonly SegmentFilter[],
): Promise<readonly number[]> {
  const pages = filters.map((filter) => calls.segments.query({ filter, size: 0 }));
  return (await Promise.all(pages)).map(({ totalElements }) => totalElements);
}

/** The address of the list of whom a filter finds. */
export const filteredListPath = (filter: SegmentFilter): string =>
  `/customers?filter=${encodeURIComponent(JSON.stringify(filter))}`;
