import type { Step } from "../concurrency/step.js";
import { boolean, integer, type RowOf, record, text, time } from "./record.js";

/** An organization's settings for all that it does. One that has set nothing has no row. */
export const settingsRecord = record("settings", [], {
  /** By the name that `Intl` has for it. */
  timeZone: text(),
  /** The first day, in days since the Unix epoch, to which nothing belongs that was counted by another zone. */
  countedSince: integer(),
  /** Of the shop, as customers see it. */
  name: text().nullable(),
  /** The hash of a picture that the organization keeps. */
  logo: text().refersTo("pictures", "hash").nullable(),
  /** As a canonical BCP 47 tag. */
  language: text().nullable(),
  /** By its code of ISO 4217. */
  currency: text().nullable(),
  /** New users need an email. */
  requiresEmail: boolean(),
  updatedAt: time(),
});

export type StoredSettings = RowOf<typeof settingsRecord>;

export interface SettingsReads {
  findSettings(organizationId: string): Step<StoredSettings | null>;
}

export interface SettingsWrites {
  /** Replaces all settings. From now on days are counted in the new time zone; existing counts stay on their days. */
  putSettings(organizationId: string, settings: StoredSettings): Step<void>;
}
