import * as z from "zod";
import { languageText } from "../base/fields/language.js";
import { pictureText } from "../base/fields/picture.js";
import { singleLineName, wireTimestamp } from "../base/fields/text.js";
import { canonicalTimeZone, UTC } from "../base/values/calendar-days.js";
import { timestampOrNull } from "../base/values/clock.js";
import type { StoredSettings } from "../storage/settings.js";

/** A time zone. Parsing converts it to the name that `Intl` uses. */
const timeZone = z.string().transform((name, context) => {
  const canonicalName = canonicalTimeZone(name);
  if (canonicalName !== null) return canonicalName;
  const message = "must be an IANA time zone, such as Europe/Vienna";
  context.addIssue({ code: "custom", message });
  return z.NEVER;
});

const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"));

const currency = z
  .string()
  .refine((code) => currencies.has(code), { error: "must be an ISO 4217 currency code, such as EUR" });

export const settingsSchema = z
  .object({
    object: z.literal("settings"),
    name: z.string().nullable(),
    logo: z.string().nullable(),
    language: z.string().nullable(),
    currency: z.string().nullable(),
    timeZone: z.string(),
    requiresEmail: z.boolean(),
    updatedAt: wireTimestamp.nullable(),
  })
  .meta({ id: "Settings" });

/**
 * An organization's settings. Customers see its `name` and `logo` on pages, on posters, and in emails. `logo` is the SHA-256 hash
 * of a picture. Customers whose language isn't known see the organization's `language`. Amounts are shown in its `currency`. Days,
 * such as the days in statistics, follow the calendar of `timeZone` (default: UTC). While `requiresEmail` is `true` (the default),
 * a new user must have an email. Otherwise, a phone number or an external ID is enough. Settings that were never set are `null`.
 * `updatedAt` is `null` if no setting was ever set.
 */
export type Settings = z.output<typeof settingsSchema>;

export const updateSettingsSchema = z
  .object({
    name: singleLineName(78).nullable().optional(),
    logo: pictureText.nullable().optional(),
    language: languageText.nullable().optional(),
    currency: currency.nullable().optional(),
    timeZone: timeZone.optional(),
    requiresEmail: z.boolean().optional(),
  })
  .meta({ id: "UpdateSettings" });

/**
 * Changes to the settings. Only the given fields change. `null` clears a field. `timeZone` is a name from the IANA database, and is
 * stored under the name that `Intl` uses for it. `logo` is either a PNG or JPEG of at most 512 KiB and 2,048 pixels per side, as a
 * `data:` URL, or the hash of a picture that was uploaded earlier.
 */
export type UpdateSettings = z.input<typeof updateSettingsSchema>;

/** Returns the time zone in which the organization's days begin and end. Default: UTC. */
export function zoneOf(settings: StoredSettings | null): string {
  return settings?.timeZone ?? UTC;
}

/** The default settings, which apply until an organization changes them. */
export const unsetSettings: StoredSettings = {
  timeZone: UTC,
  countedSince: 0,
  name: null,
  logo: null,
  language: null,
  currency: null,
  requiresEmail: true,
  updatedAt: 0,
};

export function settingsOf(settings: StoredSettings | null): Settings {
  const { name, logo, language, currency, timeZone, requiresEmail } = settings ?? unsetSettings;
  const updatedAt = timestampOrNull(settings?.updatedAt ?? null);
  return { object: "settings", name, logo, language, currency, timeZone, requiresEmail, updatedAt };
}
