import type { EventPage } from "../../../../src/webhooks/event-log.js";
import { get } from "../app/call.js";

/** What happened on one day, UTC. */
export interface DayCount {
  /** `2026-11-20` */
  readonly day: string;
  members: number;
  cards: number;
  stamps: number;
  earned: number;
  redeemed: number;
}

const DAY_MS = 86_400_000;
const PAGE = 1_000;
const MAX_PAGES = 200;

const types = ["user.created", "pass.created", "stamp.added", "stamp_card.completed", "stamp_card.redeemed"];

/** The last days, today's last, each with what happened on it. */
export async function loadDays(days: number, signal: AbortSignal): Promise<DayCount[]> {
  const today = Math.floor(Date.now() / DAY_MS);
  const counts = Array.from({ length: days }, (_, at) => ({
    day: new Date((today - days + 1 + at) * DAY_MS).toISOString().slice(0, 10),
    members: 0,
    cards: 0,
    stamps: 0,
    earned: 0,
    redeemed: 0,
  }));
  const byDay = new Map(counts.map((count) => [count.day, count]));
  let after = "0";
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const query = new URLSearchParams({ after, limit: String(PAGE) });
    query.set("types", types.join(","));
    const page = await get<EventPage>(`/v1/events?${query}`, signal);
    for (const event of page.content) {
      const count = byDay.get(event.timestamp.slice(0, 10));
      if (count !== undefined) add(count, event.type);
    }
    if (page.content.length < PAGE) break;
    after = page.next;
  }
  return counts;
}

function add(count: DayCount, type: string): void {
  if (type === "user.created") count.members += 1;
  else if (type === "pass.created") count.cards += 1;
  else if (type === "stamp.added") count.stamps += 1;
  else if (type === "stamp_card.completed") count.earned += 1;
  else count.redeemed += 1;
}
