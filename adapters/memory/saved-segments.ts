import { Bitmap, chunkOf, clearBit, emptyChunk, setBit } from "../../src/storage/bitmap.js";
import { updated } from "../../src/storage/record.js";
import {
  type EmittingSegments,
  type StoredSegment,
  type StoredSegmentDay,
  type StoredSegmentMark,
  type StoredSettledUser,
  segmentRecord,
} from "../../src/storage/saved-segments.js";
import { StorageConflict } from "../../src/storage/storage-adapter.js";
import { byAge } from "./store/order.js";
import type { OrganizationRows } from "./store/organization-rows.js";
import { kept, referred } from "./store/rows.js";
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
    .flatMap(([id, { segmentMark }]) => (segmentMark !== null && id > after ? [id] : []))
    .sort()
    .slice(0, limit);
}

export function userWatermarks(rows: OrganizationRows, userOrdinals: readonly number[]): StoredSettledUser[] {
  return [...new Set(userOrdinals)]
    .sort((a, b) => a - b)
    .flatMap((ordinal) => rows.settledUsers.get(ordinal) ?? []);
}

export function usersEvaluatedThrough({ settledUsers }: OrganizationRows, midnight: number): Bitmap {
  const some = [...settledUsers.values()].filter(({ through }) => through >= midnight);
  return Bitmap.of(some.map(({ userOrdinal }) => userOrdinal));
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

export function emittingSegments(rows: OrganizationRows): EmittingSegments | null {
  rows.emittingSegments ??= emittingOf(rows);
  const { emittingSegments } = rows;
  return emittingSegments.emitting.length === 0 ? null : emittingSegments;
}

function emittingOf(rows: OrganizationRows): EmittingSegments {
  const all = Object.freeze(listSegments(rows));
  const emitting = Object.freeze(all.filter(({ emitsEvents }) => emitsEvents));
  return Object.freeze({ all, emitting, mark: rows.segmentMark });
}

export function insertSegment(rows: OrganizationRows, log: UndoLog, segment: StoredSegment): void {
  if (findSegment(rows, segment.slug) !== null) throw new StorageConflict("slug");
  log.add(rows.segments, segment.id, kept(segment));
  forgetEmitting(rows, log);
}

export function updateSegment(rows: OrganizationRows, log: UndoLog, segment: StoredSegment): boolean {
  const before = rows.segments.get(segment.id);
  if (before === undefined) return false;
  log.set(rows.segments, segment.id, kept(updated(segmentRecord, before, segment)));
  if (!segment.emitsEvents) log.delete(rows.segmentMembers, segment.id);
  forgetEmitting(rows, log);
  return true;
}

export function deleteSegment(rows: OrganizationRows, log: UndoLog, id: string): boolean {
  if (!log.delete(rows.segments, id)) return false;
  log.delete(rows.segmentMembers, id);
  for (const [key, { segmentId }] of rows.segmentDays)
    if (segmentId === id) log.delete(rows.segmentDays, key);
  forgetEmitting(rows, log);
  return true;
}

function forgetEmitting(rows: OrganizationRows, log: UndoLog): void {
  const forget = () => {
    rows.emittingSegments = null;
  };
  log.change(forget, forget);
}

export function putSegmentMembers(
  { segments, segmentMembers }: OrganizationRows,
  log: UndoLog,
  segmentId: string,
  members: Bitmap,
): void {
  referred(segments, segmentId);
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
  const before = segmentMembers.get(segmentId) ?? Bitmap.empty;
  const changed = [...new Set(userOrdinals)]
    .filter((ordinal) => before.has(ordinal) !== isMember)
    .sort((a, b) => a - b);
  if (isMember) referred(segments, segmentId);
  if (changed.length === 0) return changed;
  log.set(segmentMembers, segmentId, withMembers(before, changed, isMember));
  if (day !== null) {
    const known = dayOf(rows, segmentId, day);
    const side = isMember ? "entered" : "left";
    setDay(rows, log, { ...known, [side]: known[side] + changed.length });
  }
  return changed;
}

function withMembers(before: Bitmap, ordinals: readonly number[], isMember: boolean): Bitmap {
  const chunks = new Map<number, Uint32Array>();
  for (const ordinal of ordinals) {
    const at = chunkOf(ordinal);
    const chunk = chunks.get(at) ?? before.chunk(at)?.slice() ?? emptyChunk();
    chunks.set(at, chunk);
    if (isMember) setBit(chunk, ordinal);
    else clearBit(chunk, ordinal);
  }
  return before.with(chunks);
}

/** Takes a user who is deleted out of every segment. */
export function forgetMember(rows: OrganizationRows, log: UndoLog, ordinal: number): void {
  for (const id of rows.segmentMembers.keys()) changeSegmentMembers(rows, log, id, [ordinal], false, null);
  log.delete(rows.settledUsers, ordinal);
}

export function putSegmentWatermark(rows: OrganizationRows, log: UndoLog, mark: StoredSegmentMark): void {
  forgetEmitting(rows, log);
  const before = rows.segmentMark;
  const after = kept(mark);
  log.change(
    () => {
      rows.segmentMark = after;
    },
    () => {
      rows.segmentMark = before;
    },
  );
  forgetEmitting(rows, log);
}

export function putUserWatermarks(
  { users, settledUsers }: OrganizationRows,
  log: UndoLog,
  settled: readonly StoredSettledUser[],
): void {
  for (const each of settled) {
    referred(users, each.userOrdinal);
    log.set(settledUsers, each.userOrdinal, kept(each));
  }
}

export function deleteUserWatermarks(
  { settledUsers }: OrganizationRows,
  log: UndoLog,
  midnight: number,
  limit: number,
): number {
  const dropped = [...settledUsers.values()].filter(({ through }) => through <= midnight).slice(0, limit);
  for (const { userOrdinal } of dropped) log.delete(settledUsers, userOrdinal);
  return dropped.length;
}

export function recordMemberCount(
  rows: OrganizationRows,
  log: UndoLog,
  segmentId: string,
  day: number,
  members: number,
): void {
  referred(rows.segments, segmentId);
  const known = dayOf(rows, segmentId, day);
  if (known.members === null) setDay(rows, log, { ...known, members });
}

function dayOf({ segmentDays }: OrganizationRows, segmentId: string, day: number): StoredSegmentDay {
  return segmentDays.get(`${segmentId} ${day}`) ?? { segmentId, day, members: null, entered: 0, left: 0 };
}

function setDay({ segmentDays }: OrganizationRows, log: UndoLog, day: StoredSegmentDay): void {
  log.set(segmentDays, `${day.segmentId} ${day.day}`, kept(day));
}
