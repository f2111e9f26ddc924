import { type EventType, isEventType } from "../../../../src/event-types.js";
import type { EventQuery } from "../../../../src/resources/event.js";
import { fromWallTime } from "./zoned-time.js";

const DAY_MS = 86_400_000;

/** The number of events that the first search looks back; each further search covers four times as many. */
const FIRST_LOOK = 1_000;

/** A filter for the event log. */
export interface LogFilter {
  /** All unless some are named. */
  readonly types: readonly EventType[];
  /** A day of the organization, such as `2026-11-23`; empty for all. */
  readonly day: string;
}

/** Returns where the log shows these kinds of events of a day, or of all days. */
export function logLink(types: readonly EventType[], day = ""): string {
  const query = new URLSearchParams({ type: types.join(",") });
  if (day !== "") query.set("day", day);
  return `/developers/events?${query}`;
}

/** Reads the choice that an address makes. */
export function parseLogFilter(query: URLSearchParams): LogFilter {
  const types = (query.get("type") ?? "").split(",").filter(isEventType);
  const day = query.get("day") ?? "";
  return { types, day: /^\d{4}-\d{2}-\d{2}$/.test(day) ? day : "" };
}

/** The times between which a day lies, as timestamps. */
export interface DaySpan {
  readonly from: string;
  readonly to: string;
}

/** Returns when a day begins and ends by the clocks of a zone; `null` for a day that there is not. */
export function dayBounds(day: string, timeZone: string): DaySpan | null {
  const at = Date.parse(day);
  if (Number.isNaN(at)) return null;
  const next = new Date(at + DAY_MS).toISOString().slice(0, 10);
  const [from, to] = [fromWallTime(timeZone, `${day}T00:00`), fromWallTime(timeZone, `${next}T00:00`)];
  return from === null || to === null ? null : { from: from.toISOString(), to: to.toISOString() };
}

/** Reads a page of events; the caller only uses their times. */
type ReadTimes = (query: Pick<EventQuery, "after" | "newest" | "limit">) => Promise<{
  readonly content: readonly { readonly timestamp: string }[];
  readonly next: string;
}>;

/** Looks back from the newest event for one that is older than a time. @returns what to read on from. */
export async function findCursorBefore(time: string, read: ReadTimes): Promise<string> {
  const end = Number((await read({ newest: true, limit: 1 })).next);
  for (let back = FIRST_LOOK; back < end; back *= 4) {
    const after = String(end - back);
    const [event] = (await read({ after, limit: 1 })).content;
    if (event !== undefined && event.timestamp < time) return after;
  }
  return "0";
}
