import * as z from "zod";
import type { StoredSettings } from "../storage/settings.js";
import { timeZoneNamed, UTC } from "../values/calendar-days.js";
import { timestampOrNull, wireTimestamp } from "./fields/text.js";

/** Is the name that `Intl` has for the zone, once it is read. */
const timeZone = z.string().transform((name, context) => {
  const known = timeZoneNamed(name);
  if (known !== null) return known;
  const message = "must be a time zone of the IANA database, such as Europe/Vienna";
  context.addIssue({ code: "custom", message });
  return z.NEVER;
});

export const settingsSchema = z
  .object({
    object: z.literal("settings"),
    timeZone: z.string(),
    updatedAt: wireTimestamp.nullable(),
  })
  .meta({ id: "Settings" });

/**
 * An organization's settings. Its days, such as those of statistics, are those of the calendar in `timeZone`, which is UTC unless
 * set. `updatedAt` is `null` until something is set.
 */
export type Settings = z.output<typeof settingsSchema>;

export const updateSettingsSchema = z
  .object({ timeZone: timeZone.optional() })
  .meta({ id: "UpdateSettings" });

/** Only sent fields change. `timeZone` is a name of the IANA database; it is kept as `Intl` names the zone. */
export type UpdateSettings = z.input<typeof updateSettingsSchema>;

/** The zone of an organization's days. */
export function zoneOf(settings: StoredSettings | null): string {
  return settings?.timeZone ?? UTC;
}

export function settingsOf(settings: StoredSettings | null): Settings {
  const updatedAt = timestampOrNull(settings?.updatedAt ?? null);
  return { object: "settings", timeZone: zoneOf(settings), updatedAt };
}
