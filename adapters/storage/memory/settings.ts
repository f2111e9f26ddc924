import type { StoredSettings } from "../../../src/storage/settings.js";
import type { OrganizationRows } from "./store/organization-rows.js";
import { freezeRow } from "./store/rows.js";
import type { UndoLog } from "./store/undo-log.js";

export function putSettings(rows: OrganizationRows, log: UndoLog, settings: StoredSettings): void {
  const previous = rows.settings;
  const after = freezeRow(settings);
  log.change(
    () => {
      rows.settings = after;
    },
    () => {
      rows.settings = previous;
    },
  );
}
