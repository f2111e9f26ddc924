import { yieldIfDue } from "../base/concurrency/event-loop.js";
import type { Step } from "../base/concurrency/step.js";
import { dayIn } from "../base/values/calendar-days.js";
import { dateOf, dayOfDate, timestamp } from "../base/values/clock.js";
import { zoneOf } from "../settings/schema.js";
import type { LotSum, RemainingPoints } from "../storage/points.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import type { OutstandingPoints } from "./schema.js";

/** Passes per read. A statement blocks the process until it is done. */
const SLICE = 1_000;

/** The last day that a date can name. In some time zones, the latest expiry is on the day after. */
const LAST_DATE = dayOfDate("9999-12-31");

type PointTotals = Omit<OutstandingPoints, "object" | "at" | "templates">;

/** Adds up the points on all of an organization's passes, a slice of passes at a time. */
export function* readOutstandingPoints(reader: StorageReader, now: number): Step<OutstandingPoints> {
  const timeZone = zoneOf(yield* reader.findSettings());
  const all = new PointSum();
  const templates = new Map<string, PointSum>();
  const sumsOf = (templateId: string) => {
    const ofTemplate = templates.get(templateId) ?? new PointSum();
    templates.set(templateId, ofTemplate);
    return [all, ofTemplate];
  };
  for (let lastPassId: string | null = ""; lastPassId !== null; ) {
    const slice: RemainingPoints = yield* reader.sumPoints(now, lastPassId, SLICE);
    for (const { templateId, debt } of slice.debts) for (const sum of sumsOf(templateId)) sum.debt += debt;
    const months = new Map<number, string>();
    for (const lots of slice.lots) {
      const month = lots.endsAt === null ? null : findMonth(timeZone, lots.endsAt, months);
      for (const sum of sumsOf(lots.templateId)) sum.add(lots, month);
    }
    lastPassId = slice.lastPassId;
    yield* yieldIfDue();
  }
  return {
    object: "outstanding_points",
    at: timestamp(now),
    ...all.totals,
    templates: [...templates].map(([templateId, sum]) => ({ templateId, ...sum.totals })),
  };
}

/** The sum of the points and debts of some passes. */
class PointSum {
  debt = 0;
  private available = 0;
  private pending = 0;
  private readonly months = new Map<string | null, number>();

  add({ isPending, points }: LotSum, month: string | null): void {
    if (isPending) this.pending += points;
    else this.available += points;
    this.months.set(month, (this.months.get(month) ?? 0) + points);
  }

  get totals(): PointTotals {
    const { available, pending, debt } = this;
    const months = [...this.months].map(([month, points]) => ({ month, points }));
    return { available, pending, held: 0, debt, months: months.sort(compareMonths) };
  }
}

/**
 * Returns the month in which points are last usable. Points usually expire at midnight, so their last day is the day before.
 * @param months the months of the ends that were looked up before.
 */
function findMonth(timeZone: string, endsAt: number, months: Map<number, string>): string {
  const month =
    months.get(endsAt) ?? dateOf(Math.min(dayIn(timeZone, endsAt - 1), LAST_DATE)).slice(0, "2027-03".length);
  months.set(endsAt, month);
  return month;
}

function compareMonths(
  { month: a }: PointTotals["months"][number],
  { month: b }: PointTotals["months"][number],
) {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return a < b ? -1 : 1;
}
