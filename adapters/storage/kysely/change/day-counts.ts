import { sql } from "kysely";
import type { Step } from "../../../../src/base/concurrency/step.js";
import { dayIn, hourIn, UTC } from "../../../../src/base/values/calendar-days.js";
import {
  addDayCounts,
  addPartialCounts,
  type CountedDay,
  type DayCountReads,
  type DayCountWrites,
  emptyDayCounts,
  withHour,
} from "../../../../src/storage/day-counts.js";
import type { Functions } from "../../../../src/storage/methods.js";
import { withRules } from "../session/call-rules.js";
import { findFirst, prepare, type ReadContext, type ReadSession, type Slot } from "../session/session.js";
import { createSlots, listColumns, toSqlName } from "../sql/columns.js";
import type { SqlDialect } from "../sql/dialect.js";

import { tables } from "../sql/tables.js";
import type { WriteContext } from "./commit-buffer.js";
import { type CurrentDay, parseCurrentDay, toCountedDay } from "./organizations.js";

/*
 * An organization's row holds its newest day, because transactions write the row anyway. So counting needs a statement of its own
 * only when a new day begins.
 */

const countNames = Object.keys(emptyDayCounts) as readonly (keyof typeof emptyDayCounts)[];

const summedColumns = Object.fromEntries(
  countNames.map(toSqlName).map((column) => {
    const [current, added] = [sql.ref(`loyalty_day_counts.${column}`), sql.ref(`excluded.${column}`)];
    return [column, sql<number>`${current} + ${added}`];
  }),
);

export function dayCountReads(dialect: SqlDialect): Functions<DayCountReads, ReadContext> {
  const { db } = dialect;
  const selectDays = prepare((slot: Slot<{ organizationId: string; from: number; to: number }>) =>
    db
      .selectFrom("loyalty_day_counts")
      .select(listColumns(tables.dayCounts, "loyalty_day_counts"))
      .where("organization_id", "=", slot("organizationId"))
      .where("day", ">=", slot("from"))
      .where("day", "<=", slot("to"))
      .orderBy("day"),
  );

  const sumDaysBefore = prepare((slot: Slot<{ organizationId: string; day: number }>) =>
    db
      .selectFrom("loyalty_day_counts")
      .select(countNames.map((name) => sumColumn(toSqlName(name)).as(name)))
      .where("organization_id", "=", slot("organizationId"))
      .where("day", "<", slot("day")),
  );

  const findCurrentDay = prepare((slot: Slot<{ organizationId: string }>) =>
    db
      .selectFrom("loyalty_organizations")
      .select("current_day_counts as currentDayCounts")
      .where("organization_id", "=", slot("organizationId")),
  );

  function* readCurrentDay(session: ReadSession, organizationId: string): Step<CurrentDay | null> {
    const row = yield* findFirst(session, findCurrentDay({ organizationId }));
    return row === null ? null : parseCurrentDay(row.currentDayCounts);
  }

  return {
    readDayCounts: withRules(
      { readsBuffered: true, needsSnapshot: true },
      function* ({ session, organizationId }, from, to) {
        const sums =
          (yield* findFirst(session, sumDaysBefore({ organizationId, day: from }))) ?? emptyDayCounts;
        const days = yield* session.all(selectDays({ organizationId, from, to }));
        const newest = yield* readCurrentDay(session, organizationId);
        if (newest === null || newest.day > to) return { before: sums, days };
        if (newest.day < from) return { before: addDayCounts(sums, newest), days };
        return { before: sums, days: mergeDay(days, toCountedDay(newest)) };
      },
    ),
  };
}

/** Prepares a statement that adds to a day's stored counts, creating the day's row if it doesn't exist. */
export function prepareDayIncrement({ db }: SqlDialect) {
  return prepare((slot: Slot<CountedDay & { organizationId: string }>) =>
    db
      .insertInto("loyalty_day_counts")
      .values({
        organization_id: slot("organizationId"),
        ...createSlots(tables.dayCounts.record.columns, slot),
      })
      .onConflict((conflict) => conflict.columns(["organization_id", "day"]).doUpdateSet(summedColumns)),
  );
}

export function dayCountWrites(dialect: SqlDialect): Functions<DayCountWrites, WriteContext> {
  const addToDay = prepareDayIncrement(dialect);

  return {
    *addCounts({ session, buffer, organizationId }, at, counts, haveEvents = true) {
      const {
        currentDayCounts: newest,
        timeZone,
        newestEventPosition,
      } = yield* buffer.getCounters(organizationId);
      if (!haveEvents)
        yield* buffer.recordMissingEvents(organizationId, { position: newestEventPosition, at });
      const zone = timeZone ?? UTC;
      const day = dayIn(zone, at);
      const addedCounts = withHour(counts, hourIn(zone, at));
      if (newest !== null && day < newest.day) {
        yield* session.change(addToDay({ organizationId, ...toCountedDay({ day, ...addedCounts }) }));
        return yield* buffer.updateCounters(organizationId, {});
      }
      if (newest !== null && day > newest.day)
        yield* session.change(addToDay({ organizationId, ...toCountedDay(newest) }));
      const currentDayCounts = addPartialCounts(newest?.day === day ? newest : { day }, addedCounts);
      return yield* buffer.updateCounters(organizationId, { currentDayCounts });
    },
  };
}

function sumColumn(column: string) {
  return sql<number>`cast(coalesce(sum(${sql.ref(column)}), 0) as double precision)`;
}

/** Returns the days including the added one. If the day already exists, its counts are summed. */
function mergeDay(days: readonly CountedDay[], addedDay: CountedDay): CountedDay[] {
  const existing = days.find(({ day }) => day === addedDay.day) ?? emptyDayCounts;
  const otherDays = days.filter(({ day }) => day !== addedDay.day);
  return [...otherDays, { day: addedDay.day, ...addDayCounts(existing, addedDay) }].sort(
    (a, b) => a.day - b.day,
  );
}
