import type { SegmentCondition, SegmentFilter } from "../../../../../src/segments/filter-schema.js";
import type { UserSelection } from "../../../../../src/tags/schema.js";
import type { Choices } from "../components/choices.js";
import { customers as words } from "../words/en/customers.js";

/** The customer list's filters. Customers must match all filters that are set. An unset filter is an empty string. */
export interface ListFilter {
  readonly templateId: string;
  readonly minStamps: string;
  readonly maxStamps: string;
  /** The slug of the segment that customers must be in. */
  readonly segment: string;
  /** The slug of the tag that customers must have. */
  readonly tag: string;
  readonly visit: Visit | "";
  readonly reward: Reward | "";
  /** A segment filter as JSON, taken from a link to the list. */
  readonly filter: string;
}

export const noFilter: ListFilter = {
  templateId: "",
  minStamps: "",
  maxStamps: "",
  segment: "",
  tag: "",
  visit: "",
  reward: "",
  filter: "",
};

/** Counts the filters that are set. A card and its numbers of stamps are one filter. */
export function countFilters({ templateId, segment, tag, visit, reward, filter }: ListFilter): number {
  return [templateId, segment, tag, visit, reward, filter].filter((each) => each !== "").length;
}

const visits = {
  today: { withinDays: 0 },
  week: { withinDays: 7 },
  month: { withinDays: 30 },
  away: { beforeDays: 30 },
  long: { beforeDays: 90 },
  never: { never: true },
} as const;

export type Visit = keyof typeof visits;

export const visitChoices: Choices<Visit | ""> = [
  ["", words.visits.any],
  ["today", words.visits.today],
  ["week", words.visits.week],
  ["month", words.visits.month],
  ["away", words.visits.away],
  ["long", words.visits.long],
  ["never", words.visits.never],
];

export type Reward = "waiting" | "none";

export const rewardChoices: Choices<Reward | ""> = [
  ["", words.rewards.any],
  ["waiting", words.rewards.waiting],
  ["none", words.rewards.none],
];

const everybody: SegmentFilter = { operator: "AND", conditions: [{ joined: { from: "1970-01-01" } }] };

/**
 * Matches no customers. Used for links with a malformed filter: showing all customers instead would be dangerous, because bulk
 * actions would change all of them.
 */
const nobody: SegmentFilter = {
  operator: "AND",
  filters: [everybody, { operator: "NOT", filters: [everybody] }],
};

/** Parses a filter from a link. Returns `null` if the JSON is malformed. Errors within the filter are left to the server. */
function parseLinkedFilter(text: string): SegmentFilter | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return isFilter(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

function isFilter(value: unknown): value is SegmentFilter {
  return typeof value === "object" && value !== null && "operator" in value;
}

/** Returns whether `filter`, a segment filter taken from a link, is empty or well-formed. */
export function isReadable({ filter }: Pick<ListFilter, "filter">): boolean {
  return filter === "" || parseLinkedFilter(filter) !== null;
}

/**
 * Converts the list's filters to a single segment filter, or to `null` if no filter is set. If the segment filter taken from a link
 * is malformed, the result matches no customers.
 */
export function buildSegmentFilter(list: ListFilter): SegmentFilter | null {
  const { templateId, minStamps, maxStamps, segment, tag, visit, reward } = list;
  const bounds = {
    ...(minStamps !== "" && { min: Number(minStamps) }),
    ...(maxStamps !== "" && { max: Number(maxStamps) }),
  };
  const conditions: SegmentCondition[] = [
    ...(segment === "" ? [] : [{ segment }]),
    ...(tag === "" ? [] : [{ slug: tag }]),
    ...(templateId === "" ? [] : [{ stamps: { templateId, ...bounds } }]),
    ...(visit === "" ? [] : [{ lastVisit: visits[visit] }]),
    ...(reward === "waiting" ? [{ rewards: { min: 1 } }] : []),
  ];
  const filters: SegmentFilter[] = [
    ...(reward === "none" ? [{ operator: "NOT" as const, conditions: [{ rewards: { min: 1 } }] }] : []),
    ...(list.filter === "" ? [] : [parseLinkedFilter(list.filter) ?? nobody]),
  ];
  if (conditions.length === 0 && filters.length === 0) return null;
  return {
    operator: "AND",
    ...(conditions.length > 0 && { conditions }),
    ...(filters.length > 0 && { filters }),
  };
}

/**
 * Returns the API call that loads the list: the contact list, a segment's member list, or a filter query. Only the contact list
 * supports search text. Only a filter query supports tags, visits, rewards, or a segment combined with a card.
 */
export function pickSource(list: ListFilter): "contacts" | "segment" | "filter" {
  const { segment, tag, visit, reward, filter, templateId } = list;
  const hasOtherFilter = [tag, visit, reward, filter].some((each) => each !== "");
  if (hasOtherFilter || (segment !== "" && templateId !== "")) return "filter";
  return segment === "" ? "contacts" : "segment";
}

/**
 * Returns a selection of all customers in the list, for bulk operations. Don't call it while the list is being searched, because a
 * selection can't contain search text.
 */
export function buildSelection(list: ListFilter): UserSelection {
  if (pickSource(list) === "segment") return { segment: list.segment };
  return { filter: buildSegmentFilter(list) ?? everybody };
}
