import {
  atHour,
  type CountedDays,
  type MomentCounts,
  noCounts,
  sumOfCounts,
} from "../../src/storage/day-counts.js";
import { dayIn, hourIn, UTC } from "../../src/values/calendar-days.js";
import type { OrganizationRows } from "./store/organization-rows.js";
import type { UndoLog } from "./store/undo-log.js";

export function countedDays({ dayCounts }: OrganizationRows, from: number, to: number): CountedDays {
  const days = [...dayCounts].map(([day, counts]) => ({ day, ...counts })).sort((a, b) => a.day - b.day);
  const before = days.filter(({ day }) => day < from).reduce(sumOfCounts, noCounts);
  return { before, days: days.filter(({ day }) => day >= from && day <= to) };
}

export function countAt(
  { dayCounts, settings }: OrganizationRows,
  log: UndoLog,
  at: number,
  counts: Partial<MomentCounts>,
): void {
  const zone = settings?.timeZone ?? UTC;
  const day = dayIn(zone, at);
  log.set(dayCounts, day, sumOfCounts(dayCounts.get(day) ?? noCounts, atHour(counts, hourIn(zone, at))));
}
