import { type EventType, isEventType } from "../../../../../src/base/event-types.js";
import type { EventQuery } from "../../../../../src/webhooks/event-schema.js";
import { parseWallTime } from "./zoned-time.js";

const DAY_MS = 86_400_000;

/** How many events the first search looks back. Each further search looks back four times as far. */
const FIRST_STEP = 1_000;

/** An event log filter by event type and day. */
export interface LogFilter {
  /** The event types to show, or an empty array for all types. */
  readonly types: readonly EventType[];
  /** The day to show in the organization's time zone, such as `2026-11-23`, or an empty string for all days. */
  readonly day: string;
}

/** Parses a filter from URL parameters, ignoring unknown event types and a malformed day. */
export function parseLogFilter(query: URLSearchParams): LogFilter {
  const types = (query.get("type") ?? "").split(",").filter(isEventType);
  const day = query.get("day") ?? "";
  return { types, day: /^\d{4}-\d{2}-\d{2}$/.test(day) ? day : "" };
}

/** The start (inclusive) and end (exclusive) of a day, as ISO 8601 timestamps in UTC. */
export interface DaySpan {
  readonly from: string;
  readonly to: string;
}

/** Returns the start and end of a day in a time zone, or `null` if the day is malformed. */
export function computeDayBounds(day: string, timeZone: string): DaySpan | null {
  const start = Date.parse(day);
  if (Number.isNaN(start)) return null;
  const next = new Date(start + DAY_MS).toISOString().slice(0, 10);
  const [from, to] = [parseWallTime(timeZone, `${day}T00:00`), parseWallTime(timeZone, `${next}T00:00`)];
  return from === null || to === null ? null : { from: from.toISOString(), to: to.toISOString() };
}

/** Reads a page of events. Only the timestamps are used. */
type ReadTimes = (query: Pick<EventQuery, "after" | "newest" | "limit">) => Promise<{
  readonly content: readonly { readonly timestamp: string }[];
  readonly next: string;
}>;

/**
 * Searches backward from the newest event, in increasingly large steps, for an event older than `time`.
 * @returns a cursor. Reading forward from it yields every event since `time`, possibly preceded by older events.
 */
export async function findCursorBefore(time: string, readTimes: ReadTimes): Promise<string> {
  const end = Number((await readTimes({ newest: true, limit: 1 })).next);
  for (let distance = FIRST_STEP; distance < end; distance *= 4) {
    const after = String(end - distance);
    const [event] = (await readTimes({ after, limit: 1 })).content;
    if (event !== undefined && event.timestamp < time) return after;
  }
  return "0";
}
