import type { CreateMessage } from "../../../../../src/messages/schema.js";
import type { MessageChannel } from "../../../../../src/messages/subscription-schema.js";
import type { SegmentCondition, SegmentFilter } from "../../../../../src/segments/filter-schema.js";
import { hasScopes } from "../api/session.js";
import { Link } from "../app/router.js";
import { useLoad } from "../components/load.js";
import { numbers as words } from "../words/en/message-numbers.js";

const TYPING_MS = 300;

const unconfirmed: SegmentCondition = { subscription: { channel: "email", status: "PENDING" } };

interface PendingNewsProps {
  readonly message: Pick<CreateMessage, "audience"> & { readonly channels: readonly MessageChannel[] };
}

/**
 * Says how many customers in a message's audience ticked news when they signed up but haven't confirmed it by email, and leads to
 * them. Renders nothing if there are none.
 */
export function PendingNews({ message: { audience, channels } }: PendingNewsProps) {
  const audienceFilter = channels.includes("email") ? findAudienceFilter(audience) : null;
  const filter =
    audienceFilter !== null && hasScopes("segment:read", "user:read")
      ? withConditions(audienceFilter, [unconfirmed])
      : null;
  const key = JSON.stringify(filter);
  const count = useLoad(
    key,
    async (calls) => (filter === null ? 0 : (await calls.segments.query({ filter, size: 0 })).totalElements),
    TYPING_MS,
  );
  if (count.value === null || count.value === 0) return null;
  return (
    <p>
      <Link to={`/customers?filter=${encodeURIComponent(key)}`}>{words.unconfirmed(count.value)}</Link>
    </p>
  );
}

/**
 * Returns the filter that finds a message's audience. It is an empty filter for all customers, and `null` for individual customers
 * and for a choice that isn't complete.
 */
export function findAudienceFilter(audience: CreateMessage["audience"]): SegmentFilter | null {
  if (audience.all !== undefined) return { operator: "AND" };
  if (audience.segment !== undefined)
    return audience.segment === "" ? null : { operator: "AND", conditions: [{ segment: audience.segment }] };
  const { filter } = audience;
  if (filter === undefined) return null;
  return isEmptyFilter(filter) ? null : { operator: "AND", filters: [filter] };
}

export const isEmptyFilter = ({ conditions = [], filters = [] }: SegmentFilter) =>
  conditions.length + filters.length === 0;

/** Returns the filter for the customers in an audience who also match the conditions. */
export const withConditions = (
  audience: SegmentFilter,
  conditions: readonly SegmentCondition[],
): SegmentFilter => ({ ...audience, conditions: [...(audience.conditions ?? []), ...conditions] });
