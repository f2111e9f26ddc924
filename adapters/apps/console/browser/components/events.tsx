import type { OrganizationCalls } from "../../../../../src/operation-groups.js";
import type { EventQuery } from "../../../../../src/webhooks/event-schema.js";
import type { EventPage } from "../../../../../src/webhooks/events.js";
import { momentText } from "../words/en/forms.js";
import { formatTimeIn } from "./zoned-time.js";

const PAGE_SIZE = 1_000;

/** Maximum number of events to show on one screen. */
export const MAX_EVENTS = 200;

/** Maximum number of pages to read when looking for the newest events, because pages start with the oldest. */
const MAX_PAGES = 50;

/**
 * A page with fewer events than this is the last one. Larger pages may also have fewer events than requested, if the events are
 * long.
 */
const MIN_FULL_PAGE = 50;

/** The newest events loaded so far, in chronological order, with the cursor for loading more. */
export interface EventFeed {
  readonly events: EventPage["content"];
  readonly next: string;
  /** Whether all events up to now have been loaded. If false, loading stopped early at the page limit. */
  readonly isComplete: boolean;
}

export const emptyFeed: EventFeed = { events: [], next: "0", isComplete: true };

/** Which events to keep: at most `maxEvents`, starting at `from` (inclusive) and ending at `to` (exclusive). */
interface EventRange {
  readonly maxEvents?: number;
  readonly from?: string;
  readonly to?: string;
}

/**
 * Loads the events after the feed's cursor. Resolves to a feed with these events appended that keeps only the newest `maxEvents`
 * events.
 */
export async function loadMoreEvents(
  { events, next }: EventFeed,
  filter: Pick<EventQuery, "types" | "userId">,
  calls: OrganizationCalls,
  { maxEvents = MAX_EVENTS, from = "", to = "~" }: EventRange = {},
): Promise<EventFeed> {
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page = await calls.events.list({ ...filter, after: next, limit: PAGE_SIZE });
    // All timestamps have the same format, so they can be compared as strings.
    const matchingEvents = page.content.filter(({ timestamp }) => timestamp >= from && timestamp < to);
    events = [...events, ...matchingEvents].slice(-maxEvents);
    next = page.next;
    if (page.content.length < MIN_FULL_PAGE) return { events, next, isComplete: true };
  }
  return { events, next, isComplete: false };
}

/** The newest events in chronological order, with the cursor for loading more. */
export interface NewestEvents {
  readonly events: EventPage["content"];
  readonly next: string;
}

/**
 * Loads the events added since the previous call in one request. If there are `maxEvents` or more, a second request loads only the
 * newest.
 * @param previous the result of the previous call, or `null` on the first call.
 * @param maxEvents the maximum number of events to keep.
 */
export async function loadNewestEvents(
  previous: NewestEvents | null,
  calls: OrganizationCalls,
  maxEvents: number,
): Promise<NewestEvents> {
  if (previous !== null) {
    const { content, next } = await calls.events.list({ after: previous.next, limit: maxEvents });
    if (content.length < maxEvents)
      return { events: [...previous.events, ...content].slice(-maxEvents), next };
  }
  const { content, next } = await calls.events.list({ newest: true, limit: maxEvents });
  return { events: content, next };
}

interface RelativeTimeProps {
  readonly at: string;
  /** Default: the browser's time zone. */
  readonly timeZone?: string;
}

/** A `time` element that shows a timestamp as a date and time in the console's language. */
export function RelativeTime({ at, timeZone }: RelativeTimeProps) {
  return (
    <time class="quiet number" dateTime={at}>
      {timeZone === undefined ? momentText(at) : formatTimeIn(timeZone, at)}
    </time>
  );
}
