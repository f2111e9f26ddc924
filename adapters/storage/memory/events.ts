import { createContainsAny } from "../../../src/base/values/text.js";
import type { ActorFilter } from "../../../src/storage/actors.js";
import type {
  EventHead,
  EventRange,
  EventRemoval,
  EventRetention,
  NewEvent,
  NewEventData,
  RemovalRange,
  StoredEvent,
} from "../../../src/storage/events.js";
import { matchesActor } from "./actors.js";
import type { OrganizationRows } from "./store/organization-rows.js";
import { freezeRow } from "./store/rows.js";
import type { UndoLog } from "./store/undo-log.js";
import { redactDeliveries } from "./webhook-deliveries.js";

export function listEvents(
  { outbox }: OrganizationRows,
  types: readonly string[] | null,
  after: number,
  limit: number,
  by: ActorFilter | null = null,
  about: readonly string[] | null = null,
): StoredEvent[] {
  const isAbout = about === null ? () => true : createContainsAny(about);
  const matchesQuery = (event: StoredEvent) =>
    (types === null || types.includes(event.type)) && matchesActor(event, by) && isAbout(event.data);
  const events: StoredEvent[] = [];
  for (let at = findFirstIndexAfter(outbox, after); at < outbox.length && events.length < limit; at += 1) {
    const event = outbox[at];
    if (event !== undefined && matchesQuery(event)) events.push(event);
  }
  return events;
}

export function toEventHead({ position, id, type, createdAt }: StoredEvent): EventHead {
  return { position, id, type, createdAt };
}

export function eventsAt({ outbox }: OrganizationRows, positions: readonly number[]): StoredEvent[] {
  return [...new Set(positions)].flatMap((position) => {
    const event = outbox[findFirstIndexAfter(outbox, position - 1)];
    return event?.position === position ? [event] : [];
  });
}

export function findEventIn(
  { outbox }: OrganizationRows,
  eventId: string,
  { after, to }: EventRange,
): EventHead | null {
  const range = outbox.slice(findFirstIndexAfter(outbox, after), findFirstIndexAfter(outbox, to));
  const event = range.find(({ id }) => id === eventId);
  return event === undefined ? null : toEventHead(event);
}

export function appendEvents(rows: OrganizationRows, log: UndoLog, events: readonly NewEvent[]): number {
  const { outbox, lastPosition, newestEventAt } = rows;
  const length = outbox.length;
  log.change(
    () => {
      for (const event of events) {
        rows.lastPosition += 1;
        outbox.push(freezeRow({ ...event, position: rows.lastPosition }));
        rows.newestEventAt = Math.max(rows.newestEventAt, event.createdAt);
      }
    },
    () => {
      outbox.length = length;
      rows.lastPosition = lastPosition;
      rows.newestEventAt = newestEventAt;
    },
  );
  return rows.lastPosition;
}

export function replaceEventData(
  rows: OrganizationRows,
  log: UndoLog,
  events: readonly NewEventData[],
): void {
  for (const { position, data, actor } of events) {
    const at = findFirstIndexAfter(rows.outbox, position - 1);
    const previous = rows.outbox[at];
    if (previous?.position !== position) continue;
    const after = freezeRow({ ...previous, data, actor });
    log.change(
      () => rows.outbox.splice(at, 1, after),
      () => rows.outbox.splice(at, 1, previous),
    );
  }
  redactDeliveries(rows, log, new Set(events.map(({ id }) => id)));
}

export function removeEvents(
  rows: OrganizationRows,
  log: UndoLog,
  { since, atMost }: EventRetention,
  { after: start, limit }: RemovalRange,
): EventRemoval {
  const previous = rows.outbox;
  const lastRemovable = rows.lastPosition - atMost;
  const isRemovable = ({ position, createdAt }: StoredEvent) =>
    position <= lastRemovable || createdAt < since;
  const from = findFirstIndexAfter(previous, start);
  const candidates = previous.slice(from, from + limit);
  const pendingIds = listPendingEventIds(rows);
  const remaining = candidates.filter((event) => !isRemovable(event) || pendingIds.has(event.id));
  const after = [...previous.slice(0, from), ...remaining, ...previous.slice(from + candidates.length)];
  log.change(
    () => {
      rows.outbox = after;
    },
    () => {
      rows.outbox = previous;
    },
  );
  const last = candidates.at(-1);
  const hasMore = last !== undefined && candidates.length === limit && isRemovable(last);
  return { removed: candidates.length - remaining.length, end: hasMore ? last.position : null };
}

function listPendingEventIds({ deliveryOrders }: OrganizationRows): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { byDueTime } of deliveryOrders.values()) {
    for (const { eventId } of byDueTime.inOrder) ids.add(eventId);
  }
  return ids;
}

/** Returns the index of the first event whose position is greater than `after`. */
function findFirstIndexAfter(outbox: readonly StoredEvent[], after: number): number {
  let [low, high] = [0, outbox.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((outbox[middle]?.position ?? 0) > after) high = middle;
    else low = middle + 1;
  }
  return low;
}
