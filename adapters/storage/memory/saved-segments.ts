import { compareTexts } from "../../../src/base/values/text.js";
import { Bitmap, chunkOf, clearBit, emptyChunk, setBit } from "../../../src/storage/bitmap.js";
import { updated } from "../../../src/storage/record.js";
import {
  type StoredSegment,
  type StoredSegmentDay,
  type StoredSegmentFollower,
  type StoredSilentChange,
  segmentRecord,
} from "../../../src/storage/saved-segments.js";
import { StorageConflict } from "../../../src/storage/storage-adapter.js";
import { byAge } from "./store/order.js";
import type { OrganizationRows } from "./store/organization-rows.js";
import { freezeRow, requireRow } from "./store/rows.js";
import type { Store } from "./store/store.js";
import type { UndoLog } from "./store/undo-log.js";

export function findSegment(rows: OrganizationRows, slug: string): StoredSegment | null {
  for (const segment of rows.segments.values()) if (segment.slug === slug) return segment;
  return null;
}

export function listSegments({ segments }: OrganizationRows): StoredSegment[] {
  return [...segments.values()].sort(byAge);
}

export function organizationsWithSavedSegments(store: Store, after: string, limit: number): string[] {
  return [...store.all()]
    .flatMap(([id, { segmentFollower }]) => (segmentFollower !== null && id > after ? [id] : []))
    .sort(compareTexts)
    .slice(0, limit);
}

export function organizationsToFollow(store: Store, now: number, limit: number): string[] {
  const dueFollowers: { readonly id: string; readonly nextMidnight: number }[] = [];
  for (const [id, { segmentFollower, silentChanges, lastPosition }] of store.all()) {
    if (segmentFollower === null) continue;
    const { position, nextMidnight } = segmentFollower;
    const isBehind = position !== null && (position < lastPosition || silentChanges.size > 0);
    if (isBehind || nextMidnight <= now) dueFollowers.push({ id, nextMidnight });
  }
  return dueFollowers
    .sort((a, b) => a.nextMidnight - b.nextMidnight || compareTexts(a.id, b.id))
    .slice(0, limit)
    .map(({ id }) => id);
}

export function silentChanges(rows: OrganizationRows, limit: number): StoredSilentChange[] {
  return [...rows.silentChanges.values()].sort((a, b) => compareTexts(a.id, b.id)).slice(0, limit);
}

export function membersAmong(
  { segmentMembers }: OrganizationRows,
  userOrdinals: readonly number[],
): ReadonlyMap<string, ReadonlySet<number>> {
  return new Map(
    [...segmentMembers].map(([id, members]) => [
      id,
      new Set(userOrdinals.filter((ordinal) => members.has(ordinal))),
    ]),
  );
}

export function segmentDays(
  rows: OrganizationRows,
  segmentId: string,
  from: number,
  to: number,
): StoredSegmentDay[] {
  return [...rows.segmentDays.values()]
    .filter((each) => each.segmentId === segmentId && each.day >= from && each.day <= to)
    .sort((a, b) => a.day - b.day);
}

export function insertSegment(rows: OrganizationRows, log: UndoLog, segment: StoredSegment): void {
  if (findSegment(rows, segment.slug) !== null) throw new StorageConflict("slug");
  log.add(rows.segments, segment.id, freezeRow(segment));
}

export function updateSegment(rows: OrganizationRows, log: UndoLog, segment: StoredSegment): boolean {
  const previous = rows.segments.get(segment.id);
  if (previous === undefined) return false;
  log.set(rows.segments, segment.id, freezeRow(updated(segmentRecord, previous, segment)));
  if (!segment.emitsEvents) log.delete(rows.segmentMembers, segment.id);
  return true;
}

export function deleteSegment(rows: OrganizationRows, log: UndoLog, id: string): boolean {
  if (!log.delete(rows.segments, id)) return false;
  log.delete(rows.segmentMembers, id);
  for (const [key, { segmentId }] of rows.segmentDays)
    if (segmentId === id) log.delete(rows.segmentDays, key);
  return true;
}

export function putSegmentMembers(
  { segments, segmentMembers }: OrganizationRows,
  log: UndoLog,
  segmentId: string,
  members: Bitmap,
): void {
  requireRow(segments, segmentId);
  log.set(segmentMembers, segmentId, members);
}

export function changeSegmentMembers(
  rows: OrganizationRows,
  log: UndoLog,
  segmentId: string,
  userOrdinals: readonly number[],
  isMember: boolean,
  day: number | null,
): number[] {
  const { segments, segmentMembers } = rows;
  const previous = segmentMembers.get(segmentId) ?? Bitmap.empty;
  const changedOrdinals = [...new Set(userOrdinals)]
    .filter((ordinal) => previous.has(ordinal) !== isMember)
    .sort((a, b) => a - b);
  if (isMember) requireRow(segments, segmentId);
  if (changedOrdinals.length === 0) return changedOrdinals;
  log.set(segmentMembers, segmentId, withMembers(previous, changedOrdinals, isMember));
  if (day !== null) {
    const dayCounts = getDay(rows, segmentId, day);
    const side = isMember ? "entered" : "left";
    setDay(rows, log, { ...dayCounts, [side]: dayCounts[side] + changedOrdinals.length });
  }
  return changedOrdinals;
}

function withMembers(members: Bitmap, ordinals: readonly number[], isMember: boolean): Bitmap {
  const chunks = new Map<number, Uint32Array>();
  for (const ordinal of ordinals) {
    const at = chunkOf(ordinal);
    const chunk = chunks.get(at) ?? members.chunk(at)?.slice() ?? emptyChunk();
    chunks.set(at, chunk);
    if (isMember) setBit(chunk, ordinal);
    else clearBit(chunk, ordinal);
  }
  return members.with(chunks);
}

export function removeMember(rows: OrganizationRows, log: UndoLog, ordinal: number): void {
  for (const id of rows.segmentMembers.keys()) changeSegmentMembers(rows, log, id, [ordinal], false, null);
}

export function putSegmentFollower(
  rows: OrganizationRows,
  log: UndoLog,
  follower: StoredSegmentFollower,
): void {
  const previous = rows.segmentFollower;
  const after = freezeRow(follower);
  log.change(
    () => {
      rows.segmentFollower = after;
    },
    () => {
      rows.segmentFollower = previous;
    },
  );
}

export function insertSilentChange(
  { silentChanges }: OrganizationRows,
  log: UndoLog,
  change: StoredSilentChange,
): void {
  log.add(silentChanges, change.id, freezeRow(change));
}

export function deleteSilentChanges(
  { silentChanges }: OrganizationRows,
  log: UndoLog,
  ids: readonly string[],
): void {
  for (const id of ids) log.delete(silentChanges, id);
}

export function recordMemberCount(
  rows: OrganizationRows,
  log: UndoLog,
  segmentId: string,
  day: number,
  members: number,
): void {
  requireRow(rows.segments, segmentId);
  const dayCounts = getDay(rows, segmentId, day);
  if (dayCounts.members === null) setDay(rows, log, { ...dayCounts, members });
}

function getDay({ segmentDays }: OrganizationRows, segmentId: string, day: number): StoredSegmentDay {
  return segmentDays.get(`${segmentId} ${day}`) ?? { segmentId, day, members: null, entered: 0, left: 0 };
}

function setDay({ segmentDays }: OrganizationRows, log: UndoLog, day: StoredSegmentDay): void {
  log.set(segmentDays, `${day.segmentId} ${day.day}`, freezeRow(day));
}
