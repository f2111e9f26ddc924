import type { OrganizationCalls } from "../../../../src/operations/groups.js";
import type { Contact } from "../../../../src/resources/contact.js";
import type { SegmentCondition, SegmentFilter } from "../../../../src/resources/segment-filter.js";
import { type Visit, visitCondition } from "./list-filter.js";

/** The most customers that a filter gives at once, and how often it is asked for more of one fact. */
const SIZE = 100;
const MOST_PAGES = 5;

/** The most tags that are looked for on a page. */
export const MOST_TAGS = 8;

/** What is asked of the customers of a page; each is one request. */
export interface AskedFacts {
  readonly rewards: boolean;
  readonly wallet: boolean;
  readonly visits: boolean;
  /** The slugs of at most {@link MOST_TAGS} tags. */
  readonly tags: readonly string[];
}

/** The ids of the customers of a page of whom something is so; `null` where it was not asked for, or too many came at the same instant. */
export interface PageFacts {
  /** All that were asked about. */
  readonly ids: ReadonlySet<string>;
  readonly rewards: ReadonlySet<string> | null;
  readonly wallet: ReadonlySet<string> | null;
  readonly visits: ReadonlyMap<Visit, ReadonlySet<string> | null> | null;
  readonly tags: ReadonlyMap<string, ReadonlySet<string> | null>;
}

/** The visits that are told apart, latest first. Who is in none of them was here earlier. */
const toldVisits = ["today", "week", "month", "never"] as const;

/**
 * Says what is so of the customers of a page, by one request for each fact whatever the number of rows: a filter names the
 * customers by the instants at which they were added, of which storage knows the places.
 */
export async function factsOf(
  calls: OrganizationCalls,
  contacts: readonly Contact[],
  asked: AskedFacts,
): Promise<PageFacts> {
  const those = whoCameAt(contacts);
  const who = async (condition: SegmentCondition) => {
    const found = new Set<string>();
    const filter: SegmentFilter = { operator: "AND", conditions: [condition], filters: [those] };
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const { content, totalPages } = await calls.segments.query({ filter, page, size: SIZE });
      for (const { id } of content) found.add(id);
      if (page + 1 >= totalPages) return found;
    }
    return null;
  };
  const when = async (isAsked: boolean, condition: SegmentCondition) => (isAsked ? who(condition) : null);
  const [rewards, wallet, visits, tags] = await Promise.all([
    when(asked.rewards, { rewards: { min: 1 } }),
    when(asked.wallet, { wallet: { installed: true } }),
    asked.visits
      ? Promise.all(toldVisits.map(async (visit) => [visit, await who(visitCondition(visit))] as const))
      : null,
    Promise.all(asked.tags.map(async (slug) => [slug, await who({ slug })] as const)),
  ]);
  return {
    ids: new Set(contacts.map(({ id }) => id)),
    rewards,
    wallet,
    visits: visits && new Map(visits),
    tags: new Map(tags),
  };
}

/** A filter of who was added at the instants at which these were. Without any it matches nobody. */
function whoCameAt(contacts: readonly Contact[]): SegmentFilter {
  const instants = [...new Set(contacts.map(({ createdAt }) => Date.parse(createdAt)))];
  return {
    operator: "OR",
    conditions: instants.map((at) => ({
      joined: { from: new Date(at).toISOString(), to: new Date(at + 1).toISOString() },
    })),
  };
}

/** Returns the latest of the told visits that a customer has; `away` for one before them, `null` for what is not known. */
export function visitOf({ visits, ids }: PageFacts, id: string): Visit | null {
  if (visits === null || !ids.has(id)) return null;
  for (const [visit, those] of visits) {
    if (those === null) return null;
    if (those.has(id)) return visit;
  }
  return "away";
}
