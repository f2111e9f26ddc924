import type { EventPage } from "../../../../src/webhooks/events.js";
import { get } from "./call.js";

const PAGE = 1_000;

/** How many are kept on a screen. */
const KEPT = 200;

/** How many pages are read for the newest events: they are told from the oldest on. */
const MAX_PAGES = 50;

/** The newest of some events, oldest first, as far as they were read. */
export interface EventReading {
  readonly events: EventPage["content"];
  readonly next: string;
  /** Whether none is left to read. */
  readonly isWhole: boolean;
}

export const nothingRead: EventReading = { events: [], next: "0", isWhole: true };

/** Which events; all that a field is empty or missing for. */
export interface EventChoice {
  readonly types?: string;
  readonly userId?: string;
}

/** Reads on from where a reading has come to, and keeps the newest. */
export async function readOn(
  { events, next }: EventReading,
  choice: EventChoice,
  signal: AbortSignal,
): Promise<EventReading> {
  const chosen = Object.entries(choice).filter(([, text]) => text !== "");
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const parameters = new URLSearchParams([...chosen, ["after", next], ["limit", String(PAGE)]]);
    const page = await get<EventPage>(`/v1/events?${parameters}`, signal);
    events = [...events, ...page.content].slice(-KEPT);
    next = page.next;
    if (page.content.length < PAGE) return { events, next, isWhole: true };
  }
  return { events, next, isWhole: false };
}
