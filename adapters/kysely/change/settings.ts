import type { SettingsReads, SettingsWrites } from "../../../src/storage/settings.js";
import type { SqlDialect } from "../sql/dialect.js";
import { rowsOf } from "../sql/rows.js";
import { tables } from "../sql/tables.js";
import { countedDayOf } from "./current-day.js";
import { addedToDay } from "./day-counts.js";
import type { Part } from "./pending.js";

/** The zone stands in the row of the organization as well, which every change that counts something has read anyway. */
export function settings(dialect: SqlDialect): Part<SettingsReads, SettingsWrites> {
  const rows = rowsOf(dialect, tables.settings);
  const addToDay = addedToDay(dialect);

  return {
    reads: {
      findSettings: ({ session }, organizationId) => rows.find(session, organizationId, {}),
    },
    writes: {
      *putSettings({ session, pending }, organizationId, given) {
        const { timeZone } = given;
        const { currentDayCounts } = yield* pending.countersOf(organizationId);
        yield* session.change(rows.put(organizationId, given));
        // The zone's newest day may be an earlier one, which is open from then on.
        if (currentDayCounts !== null)
          yield* session.change(addToDay({ organizationId, ...countedDayOf(currentDayCounts) }));
        yield* pending.count(organizationId, { timeZone, currentDayCounts: null });
      },
    },
  };
}
