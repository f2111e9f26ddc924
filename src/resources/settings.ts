import * as z from "zod";
import type { StoredSettings } from "../storage/settings.js";
import { canonicalTimeZone, UTC } from "../values/calendar-days.js";
import { timestampOrNull } from "../values/clock.js";
import { languageText } from "./fields/language.js";
import { pictureText } from "./fields/picture.js";
import { singleLineName, wireTimestamp } from "./fields/text.js";

/** Is the name that `Intl` has for the zone, once it is read. */
const timeZone = z.string().transform((name, context) => {
  const known = canonicalTimeZone(name);
  if (known !== null) return known;
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
 * An organization's settings. Customers see its `name` and `logo` on pages, posters and mails; the logo is the SHA-256 of a picture.
 * They read its `language` where none of theirs has texts, and amounts are named in its `currency`. Its days, such as those of
 * statistics, follow the calendar of `timeZone` (default: UTC). While `requiresEmail` is `true` (the default), a new user needs an email;
 * otherwise a phone or an external id is enough. Settings that are not set are `null`, and so is `updatedAt` until one is.
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
 * Only sent fields change; `null` clears one. `timeZone` is a name of the IANA database; it is kept as `Intl` names the zone. `logo` is a
 * PNG or JPEG of at most 512 KiB and 2,048 pixels to a side as a `data:` URL, or the hash of a picture sent before.
 */
export type UpdateSettings = z.input<typeof updateSettingsSchema>;

/** The zone of an organization's days. */
export function zoneOf(settings: StoredSettings | null): string {
  return settings?.timeZone ?? UTC;
}

/** The settings of an organization that has set none. */
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
