import type { Step } from "../base/concurrency/step.js";
import { boolean, integer, type RowOf, record, text, time } from "./record.js";

/** An organization's general settings. Exists only if the organization has saved its settings. */
export const settingsRecord = record("settings", [], {
  /** An IANA time zone name that `Intl` supports. */
  timeZone: text(),
  /** The first day, in days since the Unix epoch, whose counts all come from the current time zone. */
  countedSince: integer(),
  /** The shop's name, as customers see it. */
  name: text().nullable(),
  /** The hash of the logo, which is one of the organization's stored pictures. */
  logo: text().refersTo("pictures", "hash").nullable(),
  /** The language, as a canonical BCP 47 tag. */
  language: text().nullable(),
  /** The currency, as an ISO 4217 code. */
  currency: text().nullable(),
  /** True if new users must have an email. */
  requiresEmail: boolean(),
  /** When the settings were last changed, in milliseconds since the Unix epoch. */
  updatedAt: time(),
});

export type StoredSettings = RowOf<typeof settingsRecord>;

export interface SettingsReads {
  /** Returns the organization's settings, or `null` if it has never changed them. */
  findSettings(): Step<StoredSettings | null>;
}

export interface SettingsWrites {
  /** Replaces all settings. From then on, days are counted in the new time zone. Existing counts aren't moved to other days. */
  putSettings(settings: StoredSettings): Step<void>;
}
