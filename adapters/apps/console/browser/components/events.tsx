import type { OrganizationCalls } from "../../../../../src/operation-groups.js";
import type { EventQuery } from "../../../../../src/webhooks/event-schema.js";
import type { EventPage } from "../../../../../src/webhooks/events.js";
import { momentText } from "../words/en/forms.js";

const PAGE = 1_000;

/** Maximum number of events shown on a screen. */
export const MAX_EVENTS = 200;

/** Maximum number of pages to read when looking for the newest events, because pages start with the oldest. */
const MAX_PAGES = 50;

/**
 * A page with fewer events than this is the last one. Larger pages may also have fewer events than requested, if the events are
 * long.
 */
const SURELY_LAST = 50;

/** The newest events loaded so far, in chronological order, with the cursor for loading more. */
export interface EventFeed {
  readonly events: EventPage["content"];
  readonly next: string;
  /** Whether all events up to now have been loaded. If false, loading stopped early because there were too many pages. */
  readonly isWhole: boolean;
}

export const emptyFeed: EventFeed = { events: [], next: "0", isWhole: true };

/** Which events to keep: at most `most`, starting at `from` (inclusive) and ending at `to` (exclusive). */
interface Keeping {
  readonly most?: number;
  readonly from?: string;
  readonly to?: string;
}

/**
 * Loads the events after the feed's cursor and appends them to the feed's events. Resolves to a feed that keeps at most `most` of
 * the newest events.
 */
export async function readMore(
  { events, next }: EventFeed,
  choice: Pick<EventQuery, "types" | "userId">,
  calls: OrganizationCalls,
  { most = MAX_EVENTS, from = "", to = "~" }: Keeping = {},
): Promise<EventFeed> {
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page = await calls.events.list({ ...choice, after: next, limit: PAGE });
    // All timestamps have the same format, so they can be compared as strings.
    const kept = page.content.filter(({ timestamp }) => timestamp >= from && timestamp < to);
    events = [...events, ...kept].slice(-most);
    next = page.next;
    if (page.content.length < SURELY_LAST) return { events, next, isWhole: true };
  }
  return { events, next, isWhole: false };
}

/** The newest events in chronological order, with the cursor for loading more. */
export interface NewestEvents {
  readonly events: EventPage["content"];
  readonly next: string;
}

/**
 * Loads the events since the previous call in one request. If there are at least `most` new events, a second request loads only the
 * newest.
 * @param before the result of the previous call, or `null` on the first call.
 * @param most the maximum number of events to keep.
 */
export async function readNewest(
  before: NewestEvents | null,
  calls: OrganizationCalls,
  most: number,
): Promise<NewestEvents> {
  if (before !== null) {
    const { content, next } = await calls.events.list({ after: before.next, limit: most });
    if (content.length < most) return { events: [...before.events, ...content].slice(-most), next };
  }
  const { content, next } = await calls.events.list({ newest: true, limit: most });
  return { events: content, next };
}

/** Shows a timestamp as a date and time in the console's language. */
export function RelativeTime({ at }: { readonly at: string }) {
  return (
    <time class="quiet number" dateTime={at}>
      {momentText(at)}
    </time>
  );
}
