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
import { createSlots, listColumns, sqlName } from "../sql/columns.js";
import type { SqlDialect } from "../sql/dialect.js";

import { tables } from "../sql/tables.js";
import type { WriteContext } from "./commit-buffer.js";
import { type CurrentDay, countedDayOf, parseCurrentDay } from "./organizations.js";

/*
 * An organization's row holds its newest day, because transactions write the row anyway. So counting needs a statement of its own
 * only when a new day begins.
 */

const counts = Object.keys(emptyDayCounts) as readonly (keyof typeof emptyDayCounts)[];

const summedColumns = Object.fromEntries(
  counts.map(sqlName).map((column) => {
    const [current, more] = [sql.ref(`loyalty_day_counts.${column}`), sql.ref(`excluded.${column}`)];
    return [column, sql<number>`${current} + ${more}`];
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

  const sumsBefore = prepare((slot: Slot<{ organizationId: string; day: number }>) =>
    db
      .selectFrom("loyalty_day_counts")
      .select(counts.map((name) => sumColumn(sqlName(name)).as(name)))
      .where("organization_id", "=", slot("organizationId"))
      .where("day", "<", slot("day")),
  );

  const currentDayCounts = prepare((slot: Slot<{ organizationId: string }>) =>
    db
      .selectFrom("loyalty_organizations")
      .select("current_day_counts as currentDayCounts")
      .where("organization_id", "=", slot("organizationId")),
  );

  function* currentDayOf(session: ReadSession, organizationId: string): Step<CurrentDay | null> {
    const row = yield* findFirst(session, currentDayCounts({ organizationId }));
    return row === null ? null : parseCurrentDay(row.currentDayCounts);
  }

  return {
    readDayCounts: withRules(
      { readsBuffered: true, isOneState: true },
      function* ({ session, organizationId }, from, to) {
        const sums = (yield* findFirst(session, sumsBefore({ organizationId, day: from }))) ?? emptyDayCounts;
        const days = yield* session.all(selectDays({ organizationId, from, to }));
        const newest = yield* currentDayOf(session, organizationId);
        if (newest === null || newest.day > to) return { before: sums, days };
        if (newest.day < from) return { before: addDayCounts(sums, newest), days };
        return { before: sums, days: withDay(days, countedDayOf(newest)) };
      },
    ),
  };
}

/** Prepares a statement that adds to a day's stored counts, creating the day's row if it doesn't exist. */
export function incrementDay({ db }: SqlDialect) {
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
  const add = incrementDay(dialect);

  return {
    *addCounts({ session, buffer, organizationId }, at, counts, haveEvents = true) {
      const {
        currentDayCounts: newest,
        timeZone,
        newestEventPosition,
      } = yield* buffer.getCounters(organizationId);
      if (!haveEvents) yield* buffer.eventsMissing(organizationId, { position: newestEventPosition, at });
      const zone = timeZone ?? UTC;
      const day = dayIn(zone, at);
      const more = withHour(counts, hourIn(zone, at));
      if (newest !== null && day < newest.day) {
        yield* session.change(add({ organizationId, ...countedDayOf({ day, ...more }) }));
        return yield* buffer.updateCounters(organizationId, {});
      }
      if (newest !== null && day > newest.day)
        yield* session.change(add({ organizationId, ...countedDayOf(newest) }));
      const currentDayCounts = addPartialCounts(newest?.day === day ? newest : { day }, more);
      return yield* buffer.updateCounters(organizationId, { currentDayCounts });
    },
  };
}

function sumColumn(column: string) {
  return sql<number>`cast(coalesce(sum(${sql.ref(column)}), 0) as double precision)`;
}

/** Returns the days including the added one. If the day already exists, its counts are summed. */
function withDay(days: readonly CountedDay[], addedDay: CountedDay): CountedDay[] {
  const same = days.find(({ day }) => day === addedDay.day) ?? emptyDayCounts;
  const otherDays = days.filter(({ day }) => day !== addedDay.day);
  return [...otherDays, { day: addedDay.day, ...addDayCounts(same, addedDay) }].sort((a, b) => a.day - b.day);
}
