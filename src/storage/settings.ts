import type { Step } from "../concurrency/step.js";
import { boolean, integer, type RowOf, record, text, time } from "./record.js";

/** An organization's general settings. An organization that has never saved settings has no row. */
export const settingsRecord = record("settings", [], {
  /** An IANA time zone name, as used by `Intl`. */
  timeZone: text(),
  /** The first day, in days since the Unix epoch, that has no counts from a previous time zone. */
  countedSince: integer(),
  /** The shop's name, as customers see it. */
  name: text().nullable(),
  /** The hash of one of the organization's stored pictures. */
  logo: text().refersTo("pictures", "hash").nullable(),
  /** A canonical BCP 47 tag. */
  language: text().nullable(),
  /** An ISO 4217 code. */
  currency: text().nullable(),
  /** True if new users must have an email. */
  requiresEmail: boolean(),
  updatedAt: time(),
});

export type StoredSettings = RowOf<typeof settingsRecord>;

export interface SettingsReads {
  findSettings(organizationId: string): Step<StoredSettings | null>;
}

export interface SettingsWrites {
  /** Replaces all settings. From then on days are counted in the new time zone; existing counts stay on their days. */
  putSettings(organizationId: string, settings: StoredSettings): Step<void>;
}
