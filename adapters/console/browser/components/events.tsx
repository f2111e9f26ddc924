import type { OrganizationCalls } from "../../../../src/operations/groups.js";
import type { EventQuery } from "../../../../src/resources/event.js";
import type { EventPage } from "../../../../src/webhooks/events.js";
import { momentText } from "../words/en/forms.js";

const PAGE = 1_000;

/** The most events that are kept on a screen. */
export const MAX_EVENTS = 200;

/** The most pages that are read for the newest events: pages begin with the oldest. */
const MAX_PAGES = 50;

/** A page with fewer events than this is the last one. Others may have ended early, as their events are long. */
const SURELY_LAST = 50;

/** The newest events read so far, oldest first. */
export interface EventFeed {
  readonly events: EventPage["content"];
  readonly next: string;
  /** True if all events are loaded. */
  readonly isWhole: boolean;
}

export const emptyFeed: EventFeed = { events: [], next: "0", isWhole: true };

/** The events to keep: at most a number of them, from one time until before another. */
interface Keeping {
  readonly most?: number;
  readonly from?: string;
  readonly to?: string;
}

/** Reads on from where a reading has come to, and keeps the newest. */
export async function readMore(
  { events, next }: EventFeed,
  choice: Pick<EventQuery, "types" | "userId">,
  calls: OrganizationCalls,
  { most = MAX_EVENTS, from = "", to = "~" }: Keeping = {},
): Promise<EventFeed> {
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page = await calls.events.list({ ...choice, after: next, limit: PAGE });
    // Timestamps are of one form, so they compare as texts.
    const kept = page.content.filter(({ timestamp }) => timestamp >= from && timestamp < to);
    events = [...events, ...kept].slice(-most);
    next = page.next;
    if (page.content.length < SURELY_LAST) return { events, next, isWhole: true };
  }
  return { events, next, isWhole: false };
}

/** The newest events, oldest first, and where to go on from. */
export interface NewestEvents {
  readonly events: EventPage["content"];
  readonly next: string;
}

/**
 * Reads new events with one request; if there are more than are kept, reads the newest with a second one.
 * @param before `null` at first. @param most how many are kept.
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

/** A time in words. */
export function RelativeTime({ at }: { readonly at: string }) {
  return (
    <time class="quiet number" dateTime={at}>
      {momentText(at)}
    </time>
  );
}
