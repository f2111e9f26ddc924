import type { SettingsReads, SettingsWrites } from "../../../../src/storage/settings.js";
import type { SqlDialect } from "../sql/dialect.js";
import { createRowStatements } from "../sql/rows.js";
import { tables } from "../sql/tables.js";
import type { PortModule } from "./commit-buffer.js";
import { prepareDayIncrement } from "./day-counts.js";
import { toCountedDay } from "./organizations.js";

/**
 * Creates the storage module for settings. Writing settings also copies their time zone to the organization's row, because every
 * change that affects counts reads that row anyway.
 */
export function settingsModule(dialect: SqlDialect): PortModule<SettingsReads, SettingsWrites> {
  const rows = createRowStatements(dialect, tables.settings);
  const addToDay = prepareDayIncrement(dialect);

  return {
    reads: {
      findSettings: ({ session, organizationId }) => rows.find(session, organizationId, {}),
    },
    writes: {
      *putSettings({ session, buffer, organizationId }, row) {
        const { timeZone } = row;
        const { currentDayCounts } = yield* buffer.getCounters(organizationId);
        yield* session.change(rows.put(organizationId, row));
        // In the new time zone, the current day may be an earlier day than the one in the row.
        if (currentDayCounts !== null)
          yield* session.change(addToDay({ organizationId, ...toCountedDay(currentDayCounts) }));
        yield* buffer.updateCounters(organizationId, { timeZone, currentDayCounts: null });
      },
    },
  };
}
