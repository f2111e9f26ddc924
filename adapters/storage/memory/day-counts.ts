import { dayIn, hourIn, UTC } from "../../../src/base/values/calendar-days.js";
import {
  addDayCounts,
  type CountedDays,
  emptyDayCounts,
  type MomentCounts,
  withHour,
} from "../../../src/storage/day-counts.js";
import type { OrganizationRows } from "./store/organization-rows.js";
import type { UndoLog } from "./store/undo-log.js";

export function readDayCounts({ dayCounts }: OrganizationRows, from: number, to: number): CountedDays {
  const days = [...dayCounts].map(([day, counts]) => ({ day, ...counts })).sort((a, b) => a.day - b.day);
  const before = days.filter(({ day }) => day < from).reduce(addDayCounts, emptyDayCounts);
  return { before, days: days.filter(({ day }) => day >= from && day <= to) };
}

export function addCounts(
  { dayCounts, settings }: OrganizationRows,
  log: UndoLog,
  at: number,
  counts: Partial<MomentCounts>,
): void {
  const zone = settings?.timeZone ?? UTC;
  const day = dayIn(zone, at);
  log.set(
    dayCounts,
    day,
    addDayCounts(dayCounts.get(day) ?? emptyDayCounts, withHour(counts, hourIn(zone, at))),
  );
}
