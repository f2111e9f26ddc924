import type { EventRetention, NewEvent, StoredEvent } from "../../src/storage/events.js";
import type { OrganizationRows } from "./store/organization-rows.js";
import { kept } from "./store/rows.js";
import type { UndoLog } from "./store/undo-log.js";

export function listEvents(
  { outbox }: OrganizationRows,
  types: readonly string[] | null,
  after: number,
  limit: number,
): StoredEvent[] {
  const found: StoredEvent[] = [];
  for (let at = firstAbove(outbox, after); at < outbox.length && found.length < limit; at += 1) {
    const event = outbox[at];
    if (event !== undefined && (types === null || types.includes(event.type))) found.push(event);
  }
  return found;
}

export function appendEvents(rows: OrganizationRows, log: UndoLog, events: readonly NewEvent[]): number {
  const { outbox, lastPosition } = rows;
  const length = outbox.length;
  log.change(
    () => {
      for (const event of events) {
        rows.lastPosition += 1;
        outbox.push(kept({ ...event, position: rows.lastPosition }));
      }
    },
    () => {
      outbox.length = length;
      rows.lastPosition = lastPosition;
    },
  );
  return rows.lastPosition;
}

export function removeEvents(
  rows: OrganizationRows,
  log: UndoLog,
  keep: EventRetention,
  limit: number,
): number {
  const before = rows.outbox;
  const tooMany = rows.lastPosition - keep.atMost;
  const after = before.filter(
    ({ position, createdAt }, at) => at >= limit || (position > tooMany && createdAt >= keep.since),
  );
  log.change(
    () => {
      rows.outbox = after;
    },
    () => {
      rows.outbox = before;
    },
  );
  return before.length - after.length;
}

/** Where the events with a position above `after` begin. */
function firstAbove(outbox: readonly StoredEvent[], after: number): number {
  let [low, high] = [0, outbox.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((outbox[middle]?.position ?? 0) > after) high = middle;
    else low = middle + 1;
  }
  return low;
}
